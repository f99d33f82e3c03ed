/** Clients send us the bytes (`LocalReception`). A file in parts stays so: completing it only records their order. */
import * as crypto from "node:crypto"
import { type Array, Effect, Layer, Option, Schema, Stream } from "effect"
import type { FileId } from "#domain/Ids.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { FileBlobs } from "#streams/FileBlobs.ts"
import * as FileKeys from "../FileKeys.ts"
import type { UploadedPart } from "#src/platform/blobs/Part.ts"
import { PartsRefused, UploadStore } from "../UploadStore.ts"
import { HashThreads } from "./HashThreads.ts"
import * as PartNames from "./PartNames.ts"
import * as PartsBlob from "./PartsBlob.ts"
import { SignedUrls } from "./SignedUrls.ts"

/** Bytes of a multipart file that are read again for its SHA-256: about a second. */
const mostHashed = 1024 * 1024 * 1024

/** Bytes announced to a thread ahead of its hashing. */
const mostBehind = 8 * 1024 * 1024

/** Parts removed at the same time. */
const removals = 16

const encodeManifest = Schema.encodeSync(PartsBlob.Manifest)

/** As in S3. */
const etagOf = (parts: ReadonlyArray<UploadedPart>): string => {
  const hash = crypto.createHash("md5")
  for (const { etag } of parts) hash.update(Buffer.from(etag, "hex"))
  return `${hash.digest("hex")}-${parts.length}`
}

const layerNoDeps = Layer.effect(
  UploadStore,
  Effect.gen(function* () {
    const blobs = yield* BlobStore
    const urls = yield* SignedUrls
    const threads = yield* HashThreads

    const files = Option.getOrNull(yield* Effect.serviceOption(FileBlobs))

    /** The names of parts contain all that is needed, so the files are not opened. */
    const namesIn = (id: FileId) => {
      const folder = FileKeys.partsFolder(id)
      if (files !== null) return files.names(folder)
      return Effect.map(Stream.runCollect(blobs.list(folder)), (listed) =>
        listed.map(({ key }) => key.slice(folder.length + 1))
      )
    }

    const newest = (id: FileId) => Effect.map(namesIn(id), PartNames.newest)

    const parts: UploadStore["Service"]["parts"] = Effect.fn("LocalUploadStore.parts")((id) =>
      Effect.map(newest(id), (parts) =>
        parts.map(({ etag, partNumber, size }) => ({ partNumber, etag, size }))
      )
    )

    /** The parts to use, as they are stored: one may just have been replaced. */
    const found = Effect.fnUntraced(function* (
      id: FileId,
      wanted: Array.NonEmptyReadonlyArray<UploadedPart>
    ) {
      const byNumber = new Map((yield* newest(id)).map((part) => [part.partNumber, part]))
      const isSame = ({ etag, partNumber, size }: UploadedPart) => {
        const part = byNumber.get(partNumber)
        return part?.etag === etag && part.size === size
      }
      const refused = wanted.filter((part) => !isSame(part)).map(({ partNumber }) => partNumber)
      if (refused.length === 0) return wanted.flatMap(({ partNumber }) => byNumber.get(partNumber) ?? [])
      const missing = refused.filter((number) => !byNumber.has(number))
      return yield* missing.length > 0
        ? new PartsRefused({ reason: "missing", partNumbers: missing })
        : new PartsRefused({ reason: "etag_mismatch", partNumbers: refused })
    })

    const writeManifest = (file: PartsBlob.FileInParts, parts: ReadonlyArray<PartNames.NamedPart>) => {
      const manifest = encodeManifest({ parts: parts.map(({ name, size }) => ({ name, size })) })
      return blobs.put(PartsBlob.manifestKey(file), new TextEncoder().encode(manifest))
    }

    const sha256Of = Effect.fnUntraced(function* (id: FileId, parts: ReadonlyArray<PartNames.NamedPart>) {
      const hashing = yield* threads.begin("sha256")
      yield* Stream.runForEach(PartsBlob.readParts(blobs, id, { parts }), (chunk) => {
        hashing.update(chunk)
        return hashing.caughtUp(mostBehind)
      })
      return yield* hashing.digest
    }, Effect.scoped)

    const removeFrom = (id: FileId, names: ReadonlyArray<string>) =>
      Effect.forEach(names, (name) => blobs.remove(`${FileKeys.partsFolder(id)}/${name}`), {
        concurrency: removals,
        discard: true
      })

    /** Repeated parts and unused manifests. The manifest says what stays. */
    const tidy: UploadStore["Service"]["tidy"] = Effect.fn("LocalUploadStore.tidy")(function* (id, { etag }) {
      const manifest = yield* PartsBlob.readManifest(blobs, { id, etag })
      if (manifest === null) return
      const kept = new Set([PartsBlob.manifestName(etag), ...manifest.parts.map(({ name }) => name)])
      yield* removeFrom(
        id,
        (yield* namesIn(id)).filter((name) => !kept.has(name))
      )
    })

    const assemble: UploadStore["Service"]["assemble"] = Effect.fn("LocalUploadStore.assemble")(
      function* (id, _, wanted) {
        const parts = yield* found(id, wanted)
        const size = PartsBlob.sizeOf({ parts })
        const sha256 = size <= mostHashed ? yield* sha256Of(id, parts) : null
        const etag = etagOf(parts)
        yield* writeManifest({ id, etag }, parts)
        return { size, etag, sha256, isInParts: true }
      }
    )

    /** Manifests are removed first, so that the parts cannot be found any more. */
    const remove: UploadStore["Service"]["remove"] = Effect.fn("LocalUploadStore.remove")(function* (id) {
      yield* blobs.remove(FileKeys.whole(id))
      const names = yield* namesIn(id)
      const isPart = (name: string) => PartNames.parse(name) !== null
      yield* removeFrom(
        id,
        names.filter((name) => !isPart(name))
      )
      yield* removeFrom(id, names.filter(isPart))
    })

    return UploadStore.of({
      isDirect: false,
      putUrl: ({ contentType, fileName, id, size }, { expiresAt }) =>
        Effect.sync(() => urls.url({ id, contentType, size, part: null, fileName, expiresAt })),
      begin: () => Effect.sync(() => crypto.randomBytes(18).toString("base64url")),
      partUrl: ({ contentType, fileName, id, size }, { expiresAt, partNumber, uploadId }) =>
        Effect.sync(() =>
          urls.url({ id, contentType, size, part: { uploadId, partNumber }, fileName, expiresAt })
        ),
      parts,
      assemble,
      tidy,
      look: () => Effect.succeed(null),
      remove
    })
  })
)

export const layer = layerNoDeps.pipe(Layer.provide(Layer.merge(SignedUrls.layer, HashThreads.layer)))
