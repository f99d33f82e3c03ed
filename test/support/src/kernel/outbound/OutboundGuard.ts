/** The real guard over a table of names, with the test authority, and an address policy that can admit this machine. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Array, ConfigProvider, Effect, Layer } from "effect"
import { NetAddress } from "effect/net"
import { AddressPolicy, isPublic } from "#src/kernel/outbound/AddressPolicy.ts"
import { OutboundAuthorities } from "#src/kernel/outbound/Connection.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import { OutboundUnresolved } from "#src/kernel/outbound/OutboundError.ts"
import { OwnListeners } from "#src/kernel/outbound/OwnListeners.ts"
import type { Listener } from "#src/kernel/outbound/OwnListeners.ts"
import { Resolver } from "#src/kernel/outbound/Resolver.ts"

export interface GuardOptions {
  readonly resolve?: (name: string) => Effect.Effect<ReadonlyArray<string>>
  /** `address:port` of another name server. */
  readonly nameServer?: string
  /** Addresses that pass although they are not public. Default: 127.0.0.1 alone. */
  readonly admitted?: ReadonlyArray<string>
  readonly authorities?: ReadonlyArray<string>
  readonly listeners?: ReadonlyArray<Listener>
  readonly settings?: Readonly<Record<string, string>>
}

const toThisMachine = () => Effect.succeed(["127.0.0.1"])

const resolver = (resolve: (name: string) => Effect.Effect<ReadonlyArray<string>>) =>
  Layer.succeed(
    Resolver,
    Resolver.of({
      resolve: (name) =>
        Effect.flatMap(resolve(name), (addresses) =>
          Array.isReadonlyArrayNonEmpty(addresses)
            ? Effect.succeed(addresses)
            : Effect.fail(new OutboundUnresolved())
        )
    })
  )

/** By default every name resolves to 127.0.0.1, the only admitted address. */
export const layer = (options: GuardOptions = {}) => {
  const admitted = options.admitted ?? ["127.0.0.1"]
  // Not shared between different options in the same test.
  return Layer.fresh(Outbound.layerNoDeps).pipe(
    Layer.provide([
      NodeFileSystem.layer,
      options.nameServer === undefined
        ? resolver(options.resolve ?? toThisMachine)
        : Resolver.layerServers([options.nameServer]),
      Layer.succeed(OutboundAuthorities, options.authorities),
      Layer.succeed(OwnListeners, options.listeners ?? []),
      Layer.succeed(
        AddressPolicy,
        (address) => isPublic(address) || admitted.includes(NetAddress.formatIp(address))
      ),
      ConfigProvider.layer(ConfigProvider.fromUnknown(options.settings ?? {}))
    ])
  )
}
