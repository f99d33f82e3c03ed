/** Whether a connection to a provider can be made, with its certificate checked as for a call. Nothing is sent over it. */
import { Effect } from "effect"
import { buildConnector } from "undici"
import type { ConnectionError } from "#domain/Outcome.ts"
import { probeMs } from "#src/features/provider-health/Unreached.ts"
import { reasonOf } from "./ProviderExchange.ts"

/** A server that hangs up while the connection is made is not there yet. */
const faultOf = (cause: unknown): ConnectionError => {
  const reason = reasonOf(cause)
  switch (reason) {
    case "connection_refused":
    case "connect_timeout":
    case "dns_error":
    case "tls_error":
      return reason
    case "connection_lost":
    case "timeout":
    case "too_large":
      return "connection_refused"
  }
}

export const make = () => {
  const connect = buildConnector({ timeout: probeMs, allowH2: false })
  return (url: string): Effect.Effect<ConnectionError | null> =>
    Effect.callback((resume) => {
      const { host, hostname, port, protocol } = new URL(url)
      // As undici has it for its own calls: an IPv6 address without its brackets.
      const name = hostname.replace(/^\[(.*)\]$/, "$1")
      connect({ host, hostname: name, port, protocol }, (cause, socket) => {
        socket?.destroy()
        resume(Effect.succeed(cause === null ? null : faultOf(cause)))
      })
    })
}
