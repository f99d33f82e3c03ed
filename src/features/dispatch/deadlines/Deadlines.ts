/**
 * Has deadlines take effect when they pass. It sleeps until the earliest one that it knows: from the work queue after a
 * start, from hints then. Of several nodes one keeps a deadline, and the others see to it when that one does not. Nothing is
 * asked for while no deadline is near, so that requests without one cost nothing.
 */
import { Effect, Layer, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import { DueWork, type PassedDeadline } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { earliest } from "#src/kernel/time/Earliest.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Expiry from "./Expiry.ts"

/** The clock is looked at at least this often while a deadline is awaited: it may be set, ms. */
const heartbeatMs = 5_000

/** When a work queue that lags is asked again, ms. */
const retryMs = 1_000

/** How long the other nodes leave a deadline to the one that is to keep it, ms. */
const graceMs = 3_000

const make = Effect.gen(function* () {
  const steady = yield* SteadyTime
  const dueWork = yield* DueWork
  const projections = yield* Projections
  const reader = yield* EventReader
  const hints = yield* DeadlineHints
  const node = yield* Nodes
  const expireDue = yield* Expiry.make

  /** When this node is to keep it. */
  const turnOf = ({ at, requestId }: PassedDeadline, live: ReadonlyArray<string>) =>
    Rendezvous.first(requestId, live) === node.self ? at : at + graceMs

  /** Gives when the next one is due. */
  const pass = Effect.gen(function* () {
    const isCurrent = yield* projections.waitFor(yield* reader.head, { projection: projection.name })
    const now = yield* steady.now
    const live = node.live()
    let next: number | null = null
    yield* expireDue(now, (deadline) => {
      const at = turnOf(deadline, live)
      if (at > now) next = earliest(next, at)
      return at <= now
    })
    next = earliest(next, yield* dueWork.nextDeadlineAt(now))
    return isCurrent ? next : earliest(next, now + retryMs)
  })

  const keep = Effect.gen(function* () {
    let next = yield* pass
    while (true) {
      next = earliest(next, hints.take())
      const now = yield* steady.now
      if (next === null) yield* hints.hinted
      else if (next > now) yield* Effect.timeoutOption(hints.hinted, Math.min(next - now, heartbeatMs))
      else next = yield* pass
    }
  })

  /** What was for a node that is gone is another one's now. */
  const followNodes = Stream.runForEach(node.changes, () => Effect.map(steady.now, hints.hint))

  return [keep, followNodes]
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(
    make,
    Effect.forEach((reactor) => Effect.forkScoped(supervise("Keeping deadlines", reactor)))
  )
)
