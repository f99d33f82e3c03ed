/**
 * Has deadlines take effect when they pass. It sleeps until the earliest one that it knows: from the work queue after a
 * start, from hints then. Nothing is asked for while no deadline is near, so that requests without one cost nothing.
 */
import { Clock, Effect, Layer } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { supervise } from "#src/Supervise.ts"
import { DeadlineHints } from "#src/requests/DeadlineHints.ts"
import * as Expiry from "./Expiry.ts"

/** The clock is looked at at least this often while a deadline is awaited: it may be set, ms. */
const heartbeatMs = 5_000

/** When a work queue that lags is asked again, ms. */
const retryMs = 1_000

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const projections = yield* Projections
  const reader = yield* EventReader
  const hints = yield* DeadlineHints
  const expireDue = yield* Expiry.make

  /** Gives when the next one is due. */
  const pass = Effect.gen(function* () {
    const isCurrent = yield* projections.waitFor(yield* reader.head, { projection: projection.name })
    const now = yield* Clock.currentTimeMillis
    yield* expireDue(now)
    const next = yield* dueWork.nextDeadlineAt(now)
    return isCurrent ? next : earlier(next, now + retryMs)
  })

  return Effect.gen(function* () {
    let next = yield* pass
    while (true) {
      next = earlier(next, hints.take())
      const now = yield* Clock.currentTimeMillis
      if (next === null) yield* hints.hinted
      else if (next > now) yield* Effect.timeoutOption(hints.hinted, Math.min(next - now, heartbeatMs))
      else next = yield* pass
    }
  })
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (deadlines) => Effect.forkScoped(supervise("Keeping deadlines", deadlines)))
)
