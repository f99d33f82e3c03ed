import { Schema } from "effect"
import { PageKey } from "#projections/retention/PageKey.ts"

/** The progress of a round over the account's requests and files. */
export const Round = Schema.Struct({
  /** Where it continues; `null` at its end. */
  place: Schema.NullOr(PageKey),
  /** Requests and files. */
  erased: Schema.Int,
  /** Requests that have not ended and are being stopped. */
  open: Schema.Int,
  /** Failed requests and files, which the next round retries. */
  failed: Schema.Int
})
export type Round = typeof Round.Type
