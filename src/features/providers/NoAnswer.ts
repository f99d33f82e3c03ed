/** The provider gave no answer, so it is unknown whether it acted on the call. */
import { Schema } from "effect"

export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  reason: Schema.Literals([
    "connection_refused",
    "connect_timeout",
    "connection_lost",
    "timeout",
    "too_large",
    "undecodable",
    "tls_error",
    "dns_error"
  ])
}) {}
