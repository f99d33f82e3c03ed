/** Decides which addresses an untrusted URL may connect to, for every outbound check and call. */
import { Array, Config, Context, Effect, Option, Result } from "effect"
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

/** True for URLs that the operator has set: they may be private and plain http, but never this server itself. */
export const IsOfOperator = Context.Reference<boolean>("inferlog/src/kernel/outbound/IsOfOperator", {
  defaultValue: () => false
})

export type Resolve = (name: string) => Effect.Effect<Array.NonEmptyReadonlyArray<string>, OutboundUnresolved>

/** The rules as configured. Warns when private targets are allowed. */
export const make = Effect.gen(function* () {
  const isOfOperator = yield* IsOfOperator
  const allowPrivate = isOfOperator || (yield* allowPrivateTargets.config)
  const isAllowed = yield* AddressPolicy
  const isOwn = OwnListeners.matcher(yield* OwnListeners.OwnListeners)
  if (allowPrivate && !isOfOperator) {
    yield* Effect.logWarning("ALLOW_PRIVATE_TARGETS is on: URLs given by callers can reach private networks")
  }

  const refused = Result.fail(new OutboundRefused({ reason: "private_address" }))

  const vet = (target: OutboundUrl.Target, address: NetAddress.IpAddress) =>
    (allowPrivate || isAllowed(address)) && !isOwn(address, target.port) ? Result.succeed(address) : refused

  const literal = (target: OutboundUrl.Target, address: NetAddress.IpAddress) =>
    Result.map(vet(target, address), Array.of)

  /** Returns every address. One refused address, or one with a `%zone`, refuses the target. */
  const answers = (
    target: OutboundUrl.Target,
    texts: Array.NonEmptyReadonlyArray<string>
  ): Result.Result<Array.NonEmptyReadonlyArray<NetAddress.IpAddress>, OutboundRefused> => {
    const vetted: Array<NetAddress.IpAddress> = []
    for (const text of texts) {
      const address = Result.getOrUndefined(NetAddress.ipFromString(text))
      if (address === undefined || Result.isFailure(vet(target, address))) return refused
      vetted.push(address)
    }
    return Array.isReadonlyArrayNonEmpty(vetted) ? Result.succeed(vetted) : refused
  }

  return {
    parse: (url: string): Result.Result<OutboundUrl.Target, OutboundRefused> =>
      Result.mapError(OutboundUrl.parse(url, { allowPrivate }), (reason) => new OutboundRefused({ reason })),

    /** Checks the literal address of a target. */
    literal,

    /** Checks the addresses to which the target's name resolves. */
    answers,

    /** Returns every address of the target, after a look-up unless it is a literal. */
    addresses: (target: OutboundUrl.Target, resolve: Resolve) =>
      Option.isSome(target.literal)
        ? Effect.fromResult(literal(target, target.literal.value))
        : Effect.flatMap(resolve(target.host), (found) => Effect.fromResult(answers(target, found)))
  }
})

export type Vetting = Effect.Success<typeof make>
