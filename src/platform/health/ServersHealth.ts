/** Reports whether the NATS servers that store the log are connected. */
import { Effect, Layer } from "effect"
import { Nats } from "#streams/nats/Nats.ts"
import * as Health from "./Health.ts"

/** As long as appends wait for a reconnection, ms. */
const patienceMs = 2_000

export const isUp: Effect.Effect<Effect.Effect<boolean>, never, Nats> = Effect.map(Nats, (nats) =>
  Effect.sync(nats.isUp)
)

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { downMs } = yield* Nats
    const { watch } = yield* Health.Health
    yield* watch("log_servers_away", (now) => {
      const down = downMs()
      return down > patienceMs ? now - down : null
    })
  })
)
