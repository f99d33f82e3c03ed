/** Decides which addresses an untrusted URL may connect to, for every outbound check and call. */
import { Array, Config, Effect, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import * as Setting from "#src/kernel/settings/Setting.ts"
import { AddressPolicy } from "./AddressPolicy.ts"
import type { OutboundUnresolved } from "./OutboundError.ts"
import { OutboundRefused } from "./OutboundError.ts"
import * as OutboundUrl from "./OutboundUrl.ts"
import * as OwnListeners from "./OwnListeners.ts"

/** For development: allows private addresses, any host name and plain http. Never use it where others submit URLs. */
export const allowPrivateTargets = Setting.make({
  name: "ALLOW_PRIVATE_TARGETS",
  config: Config.Boolean,
  default: false,
  description: "allows URLs in requests to reach private addresses and plain http; for development only",
  accepts: "`true`, `false`, `yes`, `no`, `on`, `off`, `1`, `0`, `y`, `n`",
  example: "true"
})

export type Resolve = (name: string) => Effect.Effect<Array.NonEmptyReadonlyArray<string>, OutboundUnresolved>

/** The rules as configured. Warns when private targets are allowed. */
export const make = Effect.gen(function* () {
  const allowPrivate = yield* allowPrivateTargets.config
  const isAllowed = yield* AddressPolicy
  const isOwn = OwnListeners.matcher(yield* OwnListeners.OwnListeners)
  if (allowPrivate) {
    yield* Effect.logWarning("ALLOW_PRIVATE_TARGETS is on: URLs given by callers can reach private networks")
  }

  const refused = Effect.fail(new OutboundRefused({ reason: "private_address" }))

  const vet = (target: OutboundUrl.Target, address: NetAddress.IpAddress) =>
    (allowPrivate || isAllowed(address)) && !isOwn(address, target.port) ? Effect.succeed(address) : refused

  const vetText = (target: OutboundUrl.Target, text: string) => {
    const address = Result.getOrUndefined(NetAddress.ipFromString(text))
    return address === undefined ? refused : vet(target, address)
  }

  return {
    parse: (url: string) =>
      Effect.fromResult(OutboundUrl.parse(url, { allowPrivate })).pipe(
        Effect.mapError((reason) => new OutboundRefused({ reason }))
      ),

    /** Checks the literal address of a target. */
    literal: vet,

    /** Returns every address of the target. One refused address, or one with a `%zone`, refuses the target. */
    addresses: (target: OutboundUrl.Target, resolve: Resolve) =>
      Option.isSome(target.literal)
        ? Effect.map(vet(target, target.literal.value), Array.of)
        : Effect.flatMap(resolve(target.host), (found) =>
            Effect.forEach(found, (text) => vetText(target, text))
          )
  }
})

export type Vetting = Effect.Success<typeof make>
