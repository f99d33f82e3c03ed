/** HTTP/1.1 over one connected socket. */
import { Exit, Predicate } from "effect"
import type { Socket } from "node:net"
import { Client } from "undici"
import { OutboundError } from "./OutboundError.ts"
import type { Target } from "./OutboundUrl.ts"

/** The longest idle time of a connection, in ms. Servers that announce no time close theirs after 2 s or more. */
const maxIdle = 1_000

/** How much sooner than the server announced a connection is closed, in ms, so that data in transit still arrives. */
const margin = 500

/** Speaks HTTP over `socket`, one request at a time. It never reconnects, so that no message is sent twice. */
export const make = (socket: Socket, target: Target): Client => {
  let used = false
  return new Client(target.origin, {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: maxIdle,
    keepAliveMaxTimeout: maxIdle,
    keepAliveTimeoutThreshold: margin,
    connect: (_options, callback) => {
      // In the same tick undici would take the connection and never send the request.
      if (used) return queueMicrotask(() => callback(new Error("the connection was used"), null))
      used = true
      return queueMicrotask(() => callback(null, socket))
    }
  })
}

/** Translates undici's errors. A request that undici refuses to send is a bug. */
export const failure = (cause: unknown): Exit.Exit<never, OutboundError> => {
  const code = Predicate.hasProperty(cause, "code") ? cause.code : undefined
  if (code === "UND_ERR_INVALID_ARG" || code === "UND_ERR_NOT_SUPPORTED") return Exit.die(cause)
  return Exit.fail(new OutboundError({ reason: "connection_failed" }))
}
