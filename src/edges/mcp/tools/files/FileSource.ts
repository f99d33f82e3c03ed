/** The bytes of a file for a tool, from any source. */
import { Context, type Stream } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface FileSource {
  /** Bytes. */
  readonly size: number
  /** The first bytes, enough to detect the type. */
  readonly head: Uint8Array
  /** As the source claims. Never trust it. */
  readonly contentType: string | null
  readonly fileName: string | null
  /** Read it once, within the scope in which it was obtained. */
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

/** The largest file, in bytes (contract, "Assistant-tool server"). */
export const MaxFileBytes = Context.Reference<number>("inferlog/src/edges/mcp/tools/files/MaxFileBytes", {
  defaultValue: () => 200 * 1024 * 1024
})
