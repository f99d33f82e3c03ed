/** Names of blobs, equal on every backend. They become paths and URLs, so every other text is rejected. */
import { Effect } from "effect"
import { BlobStoreError } from "./BlobStore.ts"

const key = /^[A-Za-z0-9._-]{1,255}(?:\/[A-Za-z0-9._-]{1,255})*$/
const maxLength = 1_024

/** Segments of `[A-Za-z0-9._-]`, at most 255 characters each and 1,024 in all, none of them `.` or `..`. */
export const isBlobKey = (text: string): boolean =>
  text.length <= maxLength &&
  key.test(text) &&
  !text.split("/").some((segment) => segment === "." || segment === "..")

/** Returns the key, or the error of every operation on an invalid key. The error does not repeat the text. */
export const check = (text: string): Effect.Effect<string, BlobStoreError> =>
  isBlobKey(text)
    ? Effect.succeed(text)
    : Effect.fail(
        new BlobStoreError({ reason: "expected a blob key: segments of [A-Za-z0-9._-] joined by /" })
      )
