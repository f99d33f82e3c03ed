/** `GET /health`: whether requests that are accepted here will also be run. */
import { Effect } from "effect"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as Answer from "../Answer.ts"
import * as Refusal from "../Refusal.ts"

export const make = Effect.gen(function* () {
  const projections = yield* Projections

  /** Without the work queue's projection nothing is dispatched any more, until the program is started again. */
  return Effect.fnUntraced(function* () {
    const dueWork = (yield* projections.standings).get(DueWorkProjection.projection.name)
    if (dueWork === undefined || dueWork.stopped) return yield* Refusal.notDispatching
    return Answer.json(200, { status: "ok" })
  })
})
