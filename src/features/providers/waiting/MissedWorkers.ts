/** Logs once when requests wait for a worker, and once when a worker has come. */
import { Effect } from "effect"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** After a restart workers return within this time, ms; earlier absence is not logged. */
const patienceMs = 5_000

export const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const steady = yield* SteadyTime
  /** Since when the model has no worker, and whether that was logged. */
  const missed = new Map<string, { readonly since: number; isTold: boolean }>()

  const tell = (message: string, model: string) => Effect.annotateLogs(Effect.logWarning(message), { model })

  /** @param unserved endpoints of models without a worker. */
  return Effect.fnUntraced(function* (unserved: ReadonlyArray<string>) {
    const current = new Set(unserved)
    for (const [model, { isTold }] of missed) {
      if (current.has(model)) continue
      missed.delete(model)
      if (isTold) yield* tell("A worker asks for jobs of the model again", model)
    }
    if (unserved.length === 0) return
    const now = yield* MonotonicTime.millis
    for (const model of unserved) if (!missed.has(model)) missed.set(model, { since: now, isTold: false })
    const late = [...missed].filter(([, { isTold, since }]) => !isTold && now - since >= patienceMs)
    if (late.length === 0) return
    const due = new Set<string>(yield* dueWork.dueModels(yield* steady.now))
    for (const [model, one] of late) {
      if (!due.has(model)) continue
      one.isTold = true
      yield* tell("Requests wait for a worker: none asks for jobs of the model", model)
    }
  })
})
