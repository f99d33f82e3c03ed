/** Writes a client's body to a new file beside the blobs: complete, synced and hashed, or not at all. */
import { Effect, type Scope } from "effect"
import type { Readable } from "node:stream"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { FileTooLarge } from "../FileErrors.ts"
import { BodyRefused } from "../Reception.ts"
import * as BodyDigest from "./BodyDigest.ts"
import type { HashThreads } from "./HashThreads.ts"
import * as NodeCall from "./NodeCall.ts"
import { writeBody } from "./WriteBody.ts"

export interface IncomingBody {
  readonly body: Readable
  /** The most bytes. */
  readonly limit: number
  /** The exact number of bytes, if known. */
  readonly size: number | undefined
  /** Base64, as in the header. */
  readonly contentMd5: string | undefined
  /** Where the file is made. The scope removes it, published or not. */
  readonly path: string
  /** Whether to compute the SHA-256. */
  readonly isSha256Wanted: boolean
}

export interface Received {
  readonly size: number
  /** Hex. */
  readonly md5: string
  /** Hex; `null` if not requested. */
  readonly sha256: string | null
}

/** A malformed header counts as a mismatch. */
const isMd5 = (contentMd5: string, md5: string): boolean =>
  Buffer.from(contentMd5, "base64").toString("hex") === md5

/** Closed before the file is removed, and after the threads have released it. */
export const receive = Effect.fn("Incoming.receive")(function* (
  threads: HashThreads["Service"],
  { body, contentMd5, isSha256Wanted, limit, path, size }: IncomingBody
): Effect.fn.Return<Received, BodyRefused | FileTooLarge | BlobStoreError, Scope.Scope> {
  yield* Effect.addFinalizer(() => NodeCall.remove(path))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const descriptor = yield* NodeCall.create(path)
      const md5Digest = yield* BodyDigest.make(threads, "md5", size)
      const sha256Digest = isSha256Wanted ? yield* BodyDigest.make(threads, "sha256", size) : null
      const digests = sha256Digest === null ? [md5Digest] : [md5Digest, sha256Digest]
      const written = yield* writeBody({ body, descriptor, digests, limit, size })
      const [md5, sha256] = yield* Effect.all(
        [md5Digest.digest, sha256Digest?.digest ?? Effect.succeed(null), NodeCall.sync(descriptor)],
        { concurrency: "unbounded" }
      )
      if (contentMd5 !== undefined && !isMd5(contentMd5, md5))
        return yield* new BodyRefused({ reason: "digest_mismatch" })
      return { size: written, md5, sha256 }
    })
  )
})
