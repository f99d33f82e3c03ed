import { Effect, type Scope } from "effect"
import type { Stored } from "#domain/file/Event.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { Algorithm } from "./HashProtocol.ts"
import type { HashThreads } from "./HashThreads.ts"
import * as NodeCall from "./NodeCall.ts"

/** Bytes that a thread hashes before it checks for other work. */
const stepBytes = 8 * 1024 * 1024

/** Hashes a file that is not written any more. */
export const hashFile = Effect.fn("HashFile.hashFile")(function* (
  threads: HashThreads["Service"],
  path: string
): Effect.fn.Return<Stored, BlobStoreError, Scope.Scope> {
  const descriptor = yield* NodeCall.open(path)
  const size = yield* NodeCall.sizeOf(descriptor)
  const digest = Effect.fnUntraced(function* (algorithm: Algorithm) {
    const hashing = yield* threads.begin(algorithm)
    for (let from = 0; from < size; from += stepBytes) {
      hashing.read(descriptor, from, Math.min(from + stepBytes, size))
      yield* hashing.caughtUp(stepBytes)
    }
    return yield* hashing.digest
  })
  const [etag, sha256] = yield* Effect.all([digest("md5"), digest("sha256")], { concurrency: 2 })
  return { size, etag, sha256 }
})
