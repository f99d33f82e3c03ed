/** Reports whether the work queue, from which requests are dispatched, keeps up with the log. */
import { Effect, Layer } from "effect"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import * as Health from "./Health.ts"
import { ProjectionPace, stalledSince } from "./ProjectionPace.ts"

/** The most that a moving queue may be behind, ms. */
const behindAfterMs = 30_000

export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const paces = yield* ProjectionPace
    const { watch } = yield* Health.Health
    const pace = () => paces.of(projection.name)
    yield* watch("queue_stopped", () => {
      const found = pace()
      return found?.isStopped === true ? found.unmovedSince : null
    })
    yield* watch("queue_stalled", (now) => {
      const found = pace()
      return found?.isStopped === true ? null : stalledSince(found, now)
    })
    yield* watch("queue_building", () => {
      const found = pace()
      return found?.isBuilding === true ? found.behindSince : null
    })
    yield* watch("queue_behind", (now) => {
      const found = pace()
      if (found === null || found.isStopped || found.isBuilding || stalledSince(found, now) !== null)
        return null
      return now - found.behindSince > behindAfterMs ? found.behindSince : null
    })
  })
)
