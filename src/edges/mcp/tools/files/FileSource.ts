/** The bytes of a file that a tool was given, wherever they come from. */
import { Context, type Stream } from "effect"
import type { BlobStoreError } from "#streams/BlobStore.ts"

export interface FileSource {
  /** Bytes. */
  readonly size: number
  /** The first of them, enough to tell what they are. */
  readonly head: Uint8Array
  /** As the source says, if it does: never to be trusted. */
  readonly contentType: string | null
  readonly fileName: string | null
  /** Read once, and within the scope in which it was got. */
  readonly body: Stream.Stream<Uint8Array, BlobStoreError>
}

/** Bytes of a file (contract, "Assistant-tool server"). */
export const MaxFileBytes = Context.Reference<number>("inferlog/src/edges/mcp/tools/files/MaxFileBytes", {
  defaultValue: () => 200 * 1024 * 1024
})
