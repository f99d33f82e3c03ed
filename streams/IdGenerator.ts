/** Time-ordered ids of 21 characters (`domain/Ids`). They rise within the process even when the clock goes back. */
import { Clock, Context, Effect, Layer } from "effect"
import { makeTimeOrdered } from "#domain/Ids.ts"
import * as RandomPool from "./RandomPool.ts"

const randomBytesPerId = 10
const countersPerMilli = 4_096

export class IdGenerator extends Context.Service<
  IdGenerator,
  {
    /** The next id. Never fails, never blocks. */
    readonly next: () => string
  }
>()("inferlog/streams/IdGenerator") {
  static readonly layer = Layer.effect(
    IdGenerator,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const random = RandomPool.make(randomBytesPerId)
      let millis = 0
      let counter = 0

      return IdGenerator.of({
        next: () => {
          const now = clock.currentTimeMillisUnsafe()
          if (now > millis) {
            millis = now
            counter = 0
          } else if (++counter === countersPerMilli) {
            millis++
            counter = 0
          }
          return makeTimeOrdered({ millis, counter, random: random() })
        }
      })
    })
  )
}
