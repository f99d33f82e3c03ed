import { Effect } from "effect"
import type { RunControl } from "./Provider.ts"

/** The control with other members. A control has getters and methods of its class, so a spread would lose them. */
export const of = (control: RunControl, members: Partial<RunControl>): RunControl => ({
  accepted: control.accepted,
  started: control.started,
  start: () => control.start(),
  startWithinMs: control.startWithinMs,
  progress: control.progress,
  note: (report) => control.note(report),
  chunk: (chunk, scalar) => control.chunk(chunk, scalar),
  restartChunks: () => control.restartChunks(),
  stopRequested: control.stopRequested,
  isStoppedWithin: (ms) => control.isStoppedWithin(ms),
  ...members
})

/** The control for reports that each may be the first of a run that has started: only the first one starts it. */
export const startingOnce = (control: RunControl): RunControl => {
  let hasStarted = false
  const start = () => {
    if (!hasStarted) control.start()
    hasStarted = true
  }
  return of(control, { start, started: Effect.sync(start) })
}
