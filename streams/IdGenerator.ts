/** Time-ordered ids of 21 characters (`domain/Ids`), rising within the process even when the clock steps back. */
import * as crypto from "node:crypto"
import { Clock, Context, Effect, Layer } from "effect"
import { makeTimeOrdered } from "#domain/Ids.ts"

const randomBytesPerId = 10
const poolBytes = 1_000 * randomBytesPerId
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
      const pool = Buffer.alloc(poolBytes)
      let used = poolBytes
      let millis = 0
      let counter = 0

      const random = () => {
        if (used === poolBytes) {
          crypto.randomFillSync(pool)
          used = 0
        }
        used += randomBytesPerId
        return pool.subarray(used - randomBytesPerId, used)
      }

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
