/** Writes pieces, reads them back, and checks each against its hash. Zstandard compresses what is not compressed yet. */
import * as crypto from "node:crypto"
import * as zlib from "node:zlib"
import { Effect, Stream } from "effect"
import { type BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { BackupDamaged } from "../BackupError.ts"
import type { Piece } from "./Manifest.ts"

type Pieces = BlobStore["Service"]

const level = 3

const sha256 = (bytes: Uint8Array) => crypto.hash("sha256", bytes)

const compress = (raw: Uint8Array): Buffer =>
  zlib.zstdCompressSync(raw, { params: { [zlib.constants.ZSTD_c_compressionLevel]: level } })

const missing = (piece: Piece) => new BackupDamaged({ piece: piece.key, reason: "is missing" })

export const mismatch = (piece: Piece) =>
  new BackupDamaged({ piece: piece.key, reason: `does not match its SHA-256 ${piece.sha256}` })

/** The stored bytes in memory, checked. */
export const read = Effect.fn("Pieces.read")(function* (
  pieces: Pieces,
  piece: Piece
): Effect.fn.Return<Buffer, BackupDamaged | BlobStoreError> {
  const blob = yield* pieces.get(piece.key)
  if (blob === null) return yield* missing(piece)
  if (blob.size !== piece.size) return yield* mismatch(piece)
  const bytes = Buffer.from(yield* Stream.mkUint8Array(blob.body))
  return sha256(bytes) === piece.sha256 ? bytes : yield* mismatch(piece)
})

/** Writes bytes and reads them back. */
export const put = Effect.fn("Pieces.put")(function* (
  pieces: Pieces,
  key: string,
  bytes: Uint8Array
): Effect.fn.Return<Piece, BackupDamaged | BlobStoreError> {
  const piece = { key, sha256: sha256(bytes), size: bytes.length }
  yield* pieces.put(key, bytes)
  yield* read(pieces, piece)
  return piece
})

/** Compresses a text, writes it and reads it back. */
export const putText = Effect.fnUntraced(function* (pieces: Pieces, key: string, text: string) {
  const raw = Buffer.from(text)
  return { ...(yield* put(pieces, key, compress(raw))), rawSize: raw.length }
})

/** The text of a piece of `putText`. */
export const readText = Effect.fnUntraced(function* (
  pieces: Pieces,
  piece: Piece & { readonly rawSize: number }
) {
  const bytes = yield* read(pieces, piece)
  return yield* Effect.try({
    try: () => zlib.zstdDecompressSync(bytes, { maxOutputLength: piece.rawSize }).toString(),
    catch: () => mismatch(piece)
  })
})

/** Reads a piece without keeping it, and checks it. */
export const check = Effect.fn("Pieces.check")(function* (
  pieces: Pieces,
  piece: Piece
): Effect.fn.Return<void, BackupDamaged | BlobStoreError> {
  yield* Stream.runDrain(checked(pieces, piece))
})

/**
 * The bytes of a piece. Fails before the last ones when they are not what was written, so a consumer that receives all of
 * them has the right ones.
 */
export const checked = (
  pieces: Pieces,
  piece: Piece
): Stream.Stream<Uint8Array, BackupDamaged | BlobStoreError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const blob = yield* pieces.get(piece.key)
      if (blob === null) return Stream.fail(missing(piece))
      if (blob.size !== piece.size) return Stream.fail(mismatch(piece))
      const hash = crypto.createHash("sha256")
      let last: ReadonlyArray<Uint8Array> = []
      const allButLast = Stream.flatMap(Stream.rechunk(blob.body, 1), (chunk) => {
        const before = last
        hash.update(chunk)
        last = [chunk]
        return Stream.fromIterable(before)
      })
      const rest = Stream.suspend(() =>
        hash.digest("hex") === piece.sha256 ? Stream.fromIterable(last) : Stream.fail(mismatch(piece))
      )
      return Stream.concat(allButLast, rest)
    })
  )

/** `checked` for a blob store, and the fault that ended it: a store knows only its own errors. */
export const checkedBlob = (pieces: Pieces, piece: Piece) => {
  let fault: BackupDamaged | undefined
  return {
    fault: () => fault,
    stream: Stream.catchTag(checked(pieces, piece), "BackupDamaged", (error) => {
      fault = error
      return Stream.fail(new BlobStoreError({ reason: error.message }))
    })
  }
}
