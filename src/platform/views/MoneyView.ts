/** Money as clients get it (decisions, preamble): decimal text in USD, no float. */
import { Schema } from "effect"

export const currency = "USD"

export const Currency = Schema.Literal(currency)

/** At most nine places. */
export const Money = Schema.String.annotate({ description: "USD, as a decimal." })
