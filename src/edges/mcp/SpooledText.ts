/** Text of a message that is too long for memory, stored in a file. The message has an unguessable handle instead. */
import { Context } from "effect"

export interface SpooledText {
  /** Absolute, in the scratch directory. Removed with the scope of the call. */
  readonly path: string
  /** Bytes of the unescaped text. */
  readonly size: number
}

/** The texts of the current message, by handle. */
export const SpooledTexts = Context.Reference<ReadonlyMap<string, SpooledText>>(
  "inferlog/src/edges/mcp/SpooledTexts",
  { defaultValue: () => new Map() }
)
