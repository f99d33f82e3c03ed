/** Updates the metrics of how far the projections are behind the log. */
import { Clock, Effect, Metric, Option, Stream } from "effect"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { ProjectionPace, stalledSince } from "./ProjectionPace.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as Families from "./Families.ts"

const millisPerSecond = 1_000

export const make = Effect.gen(function* () {
  const projections = yield* Projections
  const reader = yield* EventReader
  const paces = yield* ProjectionPace

  /** Age of the event after `position`, seconds. */
  const ageAfter = Effect.fnUntraced(function* (position: GlobalPosition.GlobalPosition) {
    const next = yield* Stream.runHead(reader.readAll(position))
    if (Option.isNone(next)) return 0
    return Math.max((yield* Clock.currentTimeMillis) - next.value.time, 0) / millisPerSecond
  })

  return Effect.gen(function* () {
    const head = yield* reader.head
    const now = yield* MonotonicTime.millis
    const states = yield* projections.states
    yield* Metric.update(Families.logHead.of(), GlobalPosition.sequence(head))
    for (const [name, { position, stopped }] of states) {
      const isLevel = GlobalPosition.isReached(head, position)
      const behind = isLevel ? 0 : GlobalPosition.sequence(head) - GlobalPosition.sequence(position)
      yield* Metric.update(Families.projectionLagEvents.of(name), behind)
      yield* Metric.update(Families.projectionLagSeconds.of(name), isLevel ? 0 : yield* ageAfter(position))
      const isStill = stopped || stalledSince(paces.of(name), now) !== null
      yield* Metric.update(Families.projectionStopped.of(name), isStill ? 1 : 0)
    }
  })
})
