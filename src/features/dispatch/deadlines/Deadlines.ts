/**
 * Applies deadlines when they pass. It sleeps until the earliest known one: from the work queue after a start, then
 * from hints. One of several nodes keeps a deadline, and others step in if it does not. Requests without deadlines cost
 * nothing.
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

/** Wait before a lagging work queue is read again, ms. */
const retryMs = 1_000

/** How long other nodes leave a deadline to the node that keeps it, ms. */
const graceMs = 3_000

const make = Effect.gen(function* () {
  const steady = yield* SteadyTime
  const dueWork = yield* DueWork
  const projections = yield* Projections
  const reader = yield* EventReader
  const hints = yield* DeadlineHints
  const node = yield* Nodes
  const expireDue = yield* Expiry.make

  /** When this node applies it. */
  const turnOf = ({ at, requestId }: PassedDeadline, live: ReadonlyArray<string>) =>
    Rendezvous.first(requestId, live) === node.self ? at : at + graceMs

  /** Returns when the next one is due. */
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
      else if (next > now) yield* Effect.timeoutOption(hints.hinted, next - now)
      else next = yield* pass
    }
  })

  /** Another node now keeps the deadlines of a dead one. */
  const followNodes = Stream.runForEach(node.changes, () => Effect.map(steady.now, hints.hint))

  return [keep, followNodes]
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(
    make,
    Effect.forEach((reactor) => Effect.forkScoped(supervise("Keeping deadlines", reactor)))
  )
)
