/** The id of one exchange: in error envelopes, in the `x-request-id` header and in the log. */
import { Context } from "effect"

export const CorrelationId = Context.Reference<string>("inferlog/src/http/CorrelationId", {
  defaultValue: () => "unassigned"
})
