/**
 * Text of a message that is too long for memory, in files of their own. In the message there is a handle in its place, which
 * nobody can guess.
 */
import { Context } from "effect"

export interface SpooledText {
  /** Absolute, in the scratch directory; it goes with the scope of the call. */
  readonly path: string
  /** Bytes of the text, unescaped, as it was in the message. */
  readonly size: number
}

/** By handle, of the message that is being answered. */
export const SpooledTexts = Context.Reference<ReadonlyMap<string, SpooledText>>(
  "inferlog/src/edges/mcp/SpooledTexts",
  { defaultValue: () => new Map() }
)
