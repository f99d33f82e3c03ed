/** Money in answers (decisions, preamble): a decimal text in USD, not a float. */
import { Schema } from "effect"

export const currency = "USD"

export const Currency = Schema.Literal(currency)

/** At most nine decimal places. */
export const Money = Schema.String.annotate({ description: "USD, as a decimal." })
