/** Refuses a webhook that can never be delivered (contract, "Submit rules", 2), by the guard that delivery uses. */
import { Effect } from "effect"
import type { Outbound } from "#src/kernel/outbound/Outbound.ts"
import type { OutboundRefused, OutboundUnresolved } from "#src/kernel/outbound/OutboundError.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"

const reasons: Record<OutboundRefused["reason"], string> = {
  too_long: "must not exceed 2048 characters",
  malformed: "must be a valid URL",
  not_https: "must be an https URL",
  credentials: "must not carry credentials",
  forbidden_port: "must not name this port",
  forbidden_host: "must name a public host",
  private_address: "must not resolve to a private or internal address"
}

const toErrorAnswer =
  (field: string) =>
  (error: OutboundRefused | OutboundUnresolved): ErrorAnswer.ErrorAnswer =>
    ErrorAnswer.invalid([
      error._tag === "OutboundRefused"
        ? issue([field], error.reason, reasons[error.reason])
        : issue([field], "dns_error", "must name a host that resolves")
    ])

/** The checks that need no name look-up. `field` of the body has the URL. */
export const look = (
  outbound: Outbound["Service"],
  url: string,
  field = "webhook"
): Effect.Effect<void, ErrorAnswer.ErrorAnswer> => Effect.mapError(outbound.look(url), toErrorAnswer(field))

export const check = (
  outbound: Outbound["Service"],
  url: string
): Effect.Effect<void, ErrorAnswer.ErrorAnswer> =>
  Effect.mapError(outbound.check(url), toErrorAnswer("webhook"))
