/** Checks a connection to a provider, and its certificate as in a call, without sending anything. */
import { Effect } from "effect"
import { buildConnector } from "undici"
import type { ConnectionError } from "#domain/Outcome.ts"
import { probeMs } from "#src/features/provider-health/Unreached.ts"
import { reasonOf } from "./ProviderExchange.ts"

/** A server that closes the connection at once is not ready. */
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
    case "undecodable":
      return "connection_refused"
  }
}

export const make = () => {
  const connect = buildConnector({ timeout: probeMs, allowH2: false })
  return (url: string): Effect.Effect<ConnectionError | null> =>
    Effect.callback((resume) => {
      const { host, hostname, port, protocol } = new URL(url)
      // Without the brackets of an IPv6 address, as undici passes it.
      const name = hostname.replace(/^\[(.*)\]$/, "$1")
      connect({ host, hostname: name, port, protocol }, (cause, socket) => {
        socket?.destroy()
        resume(Effect.succeed(cause === null ? null : faultOf(cause)))
      })
    })
}
