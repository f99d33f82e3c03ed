/** One TCP connection to a vetted address, with TLS when the target requires it. */
import { type Array, Context, Effect, Equal, Option, Result, type Scope } from "effect"
import { NetAddress } from "effect/net"
import type { LookupFunction } from "node:net"
import * as Net from "node:net"
import * as Tls from "node:tls"
import { OutboundError, OutboundRefused } from "./OutboundError.ts"
import type { FailureReason } from "./OutboundError.ts"
import type { Target } from "./OutboundUrl.ts"

/** Certificate authorities to trust instead of the public ones. Undefined: the public ones. */
export const OutboundAuthorities = Context.Reference<ReadonlyArray<string> | undefined>(
  "inferlog/src/kernel/outbound/OutboundAuthorities",
  { defaultValue: () => undefined }
)

export type Addresses = Array.NonEmptyReadonlyArray<NetAddress.IpAddress>

/** ms after which the next address is tried as well. */
const attemptTimeout = 1_000

/** A DNS lookup that returns the vetted addresses only, so that a second lookup cannot add another one. */
const pinned =
  (addresses: Addresses): LookupFunction =>
  (_name, options, callback) => {
    const entries = addresses.map((address) => ({
      address: NetAddress.formatIp(address),
      family: NetAddress.isIpv4Address(address) ? 4 : 6
    }))
    const first = entries[0]
    if (options.all === true || first === undefined) callback(null, entries)
    else callback(null, first.address, first.family)
  }

const isVetted = (remote: string, addresses: Addresses): boolean =>
  Option.exists(Result.getSuccess(NetAddress.ipFromString(remote)), (address) =>
    addresses.some((vetted) => Equal.equals(NetAddress.toCanonical(vetted), NetAddress.toCanonical(address)))
  )

/** A socket that ends with the scope. Its late errors do not end the process. */
const acquire = <S extends Net.Socket>(open: () => S): Effect.Effect<S, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const socket = open()
      socket.on("error", () => {})
      return socket
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const cutOff: ReadonlySet<unknown> = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT"])

const ready = (socket: Net.Socket, event: "connect" | "secureConnect", reason: FailureReason) =>
  Effect.callback<void, OutboundError>((resume) => {
    const fail = (reason: FailureReason) => resume(Effect.fail(new OutboundError({ reason })))
    socket
      .once(event, () => resume(Effect.void))
      .once("error", (error) =>
        fail("code" in error && cutOff.has(error.code) ? "connection_failed" : reason)
      )
      .once("close", () => fail(reason))
  })

/**
 * Connects to one of `addresses` and to nothing else: the socket's remote address is checked before a byte is sent.
 * TLS always verifies the certificate for the target's host. Fails with `connection_failed` or `tls_error`; it has
 * no deadline of its own, interrupting it destroys the socket.
 */
export const connect = Effect.fn("Connection.connect")(function* (
  target: Target,
  addresses: Addresses,
  authorities: ReadonlyArray<string> | undefined
) {
  const socket = yield* acquire(() =>
    Net.connect({
      host: target.host,
      port: target.port,
      noDelay: true,
      lookup: pinned(addresses),
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: attemptTimeout
    })
  )
  yield* ready(socket, "connect", "connection_failed")
  const remote = socket.remoteAddress
  // The peer has already closed the connection, so its address cannot be checked.
  if (remote === undefined) return yield* new OutboundError({ reason: "connection_failed" })
  if (!isVetted(remote, addresses)) {
    return yield* new OutboundRefused({ reason: "private_address" })
  }
  if (!target.secure) return socket
  const secured = yield* acquire(() =>
    Tls.connect({
      socket,
      host: target.host,
      ...(Option.isNone(target.literal) && { servername: target.host }),
      ...(authorities !== undefined && { ca: [...authorities] }),
      ALPNProtocols: ["http/1.1"],
      rejectUnauthorized: true
    })
  )
  yield* ready(secured, "secureConnect", "tls_error")
  return secured
})
