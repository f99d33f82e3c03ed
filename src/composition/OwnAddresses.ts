/** Outbound calls to this server itself are refused, under any name. */
import { Effect, Layer } from "effect"
import * as AdminListener from "#src/edges/server/admin/AdminListener.ts"
import { OwnListeners } from "#src/kernel/outbound/OwnListeners.ts"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"

/** The addresses of the settings. */
export const layer = Layer.effect(
  OwnListeners,
  Effect.gen(function* () {
    const addresses = [yield* listenAddress, yield* AdminListener.address]
    return addresses.flatMap((found) => (found === null ? [] : [{ address: found.host, port: found.port }]))
  })
)
