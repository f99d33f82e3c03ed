/** What went wrong on a disk, in words without a path; that no room is left is told apart from what is broken. */
import type { PlatformError } from "effect/PlatformError"
import { BlobStoreError } from "./BlobStore.ts"
import * as Errno from "./Errno.ts"

/** The disk is full, the quota of its user, or what one file may take. */
const fullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])

const codeOf = (cause: unknown): unknown =>
  Errno.nameOf(cause) ?? (cause instanceof Error && "code" in cause ? cause.code : undefined)

const told = (operation: string, what: unknown, cause: Error, code: unknown): BlobStoreError =>
  fullCodes.has(code)
    ? new BlobStoreError({ reason: `could not ${operation}: no room is left`, isFull: true, cause })
    : new BlobStoreError({ reason: `could not ${operation}: ${String(what)}`, cause })

/** Of what Node threw. */
export const ofNode = (operation: string, cause: Error): BlobStoreError =>
  told(operation, codeOf(cause) ?? "Unknown", cause, codeOf(cause))

export const of =
  (operation: string) =>
  (error: PlatformError): BlobStoreError =>
    told(operation, error.reason._tag, error, codeOf(error.reason.cause))
