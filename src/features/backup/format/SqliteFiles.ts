/** Packs SQLite files into pieces and back, as streams: memory does not depend on their size. */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as zlib from "node:zlib"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Stream } from "effect"
import { type BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import type { BackupDamaged } from "../BackupError.ts"
import type { SqliteFile } from "./Manifest.ts"
import * as Pieces from "./Pieces.ts"

type Store = BlobStore["Service"]

/** Bytes per read. */
const chunkSize = 256 * 1024

const level = 3

const failed = (cause: unknown) =>
  new BlobStoreError({ reason: "a file of the backup cannot be read or written", cause })

const compressor = () =>
  zlib.createZstdCompress({
    params: {
      [zlib.constants.ZSTD_c_compressionLevel]: level,
      [zlib.constants.ZSTD_c_checksumFlag]: 1
    }
  })

/** Compresses the file, writes it, and reads it back. The file must not change meanwhile. */
export const put = Effect.fn("SqliteFiles.put")(function* (
  store: Store,
  key: string,
  filename: string
): Effect.fn.Return<SqliteFile, BackupDamaged | BlobStoreError> {
  const hash = crypto.createHash("sha256")
  const body = NodeStream.fromReadable<Uint8Array, BlobStoreError>({
    evaluate: () => fs.createReadStream(filename, { highWaterMark: chunkSize }),
    onError: failed
  }).pipe(
    NodeStream.pipeThroughDuplex<Uint8Array, BlobStoreError>({ evaluate: compressor, onError: failed }),
    Stream.tap((chunk) => Effect.sync(() => hash.update(chunk)))
  )
  const size = yield* store.put(key, body)
  const { size: fileSize } = yield* Effect.promise(() => fs.promises.stat(filename))
  const piece = { key, size, sha256: hash.digest("hex"), fileSize }
  yield* Pieces.check(store, piece)
  return piece
})

/** Unpacks the piece to `filename`, which must not exist. The file is durable when this returns. */
export const unpack = Effect.fn("SqliteFiles.unpack")(function* (
  store: Store,
  piece: SqliteFile,
  filename: string
): Effect.fn.Return<void, BackupDamaged | BlobStoreError> {
  let written = 0
  yield* Effect.acquireUseRelease(
    attempt(() => fs.promises.open(filename, "wx", 0o600)),
    (file) =>
      Effect.andThen(
        Pieces.checked(store, piece).pipe(
          NodeStream.pipeThroughDuplex<Uint8Array, BackupDamaged>({
            evaluate: () => zlib.createZstdDecompress(),
            onError: () => Pieces.mismatch(piece)
          }),
          Stream.runForEach(
            Effect.fnUntraced(function* (chunk) {
              written += chunk.length
              if (written > piece.fileSize) return yield* Pieces.mismatch(piece)
              yield* Effect.uninterruptible(attempt(() => file.writeFile(chunk)))
            })
          )
        ),
        attempt(() => file.sync())
      ),
    (file) => Effect.promise(() => file.close())
  )
  if (written !== piece.fileSize) return yield* Pieces.mismatch(piece)
})

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, BlobStoreError> =>
  Effect.tryPromise({ try: run, catch: failed })
