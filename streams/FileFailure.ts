/** Converts file system errors to `BlobStoreError` without paths. A full disk is marked as such. */
import type { PlatformError } from "effect/PlatformError"
import { BlobStoreError } from "./BlobStore.ts"
import * as Errno from "./Errno.ts"

/** The disk is full, or a quota or the file size limit is exceeded. */
const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const codeOf = (cause: unknown): unknown =>
  Errno.nameOf(cause) ?? (cause instanceof Error && "code" in cause ? cause.code : undefined)

const toError = (operation: string, what: unknown, cause: Error, code: unknown): BlobStoreError =>
  fullCodes.has(code)
    ? new BlobStoreError({ reason: `could not ${operation}: no room is left`, isFull: true, cause })
    : new BlobStoreError({ reason: `could not ${operation}: ${String(what)}`, cause })

/** For an error thrown by Node. */
export const ofNode = (operation: string, cause: Error): BlobStoreError =>
  toError(operation, codeOf(cause) ?? "Unknown", cause, codeOf(cause))

export const of =
  (operation: string) =>
  (error: PlatformError): BlobStoreError =>
    toError(operation, error.reason._tag, error, codeOf(error.reason.cause))
