/** The names of blobs, the same on every backend. They become paths and URLs, so nothing else may pass. */
import { Effect } from "effect"
import { BlobStoreError } from "./BlobStore.ts"

const key = /^[A-Za-z0-9._-]{1,255}(?:\/[A-Za-z0-9._-]{1,255})*$/
const longestKey = 1_024

/** Segments of `[A-Za-z0-9._-]`, at most 255 characters each and 1,024 in all, none of them `.` or `..`. */
export const isBlobKey = (text: string): boolean =>
  text.length <= longestKey &&
  key.test(text) &&
  !text.split("/").some((segment) => segment === "." || segment === "..")

/** The key as it is, or the error that every operation gives on a text that is none; it does not repeat the text. */
export const check = (text: string): Effect.Effect<string, BlobStoreError> =>
  isBlobKey(text)
    ? Effect.succeed(text)
    : Effect.fail(
        new BlobStoreError({ reason: "expected a blob key: segments of [A-Za-z0-9._-] joined by /" })
      )
