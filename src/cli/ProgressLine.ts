/** The progress of a long run over events, on one line of a terminal. Prints nothing when stderr is not a terminal. */
import { Clock, Effect, Stdio, Stream } from "effect"
import * as Output from "./Output.ts"

export interface ProgressLine {
  /** Reports the number of processed events. The line is updated at most every 200 ms. */
  readonly report: (events: number) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

export interface Progress {
  readonly events: number
  /** `null` when unknown. */
  readonly total: number | null
  /** ms */
  readonly elapsed: number
  /** Unit of the count; events by default. */
  readonly unit?: string
}

/** Time between two updates, ms. */
const interval = 200

/** Moves the cursor to the start of the line and erases the line. */
const restart = "\r\u001b[K"

/** `12,345 of 1,000,000 events  1.2 %  98,000/s  ETA 10 s`; without a total `12,345 events  98,000/s`. */
export const format = ({ elapsed, events, total, unit = "events" }: Progress): string => {
  const perSecond = elapsed > 0 ? Math.round((events * 1000) / elapsed) : 0
  const rate = `${Output.count(perSecond)}/s`
  if (total === null || total <= 0) return `${Output.count(events)} ${unit}  ${rate}`
  const done = `${Output.count(events)} of ${Output.count(total)} ${unit}`
  const percent = `${((Math.min(events, total) / total) * 100).toFixed(1)} %`
  const eta =
    perSecond > 0 ? `  ETA ${Output.duration((Math.max(0, total - events) / perSecond) * 1000)}` : ""
  return `${done}  ${percent}  ${rate}${eta}`
}

/** `total`: the number of events, `null` when unknown. */
export const make = Effect.fnUntraced(function* (
  total: number | null,
  unit = "events"
): Effect.fn.Return<ProgressLine, never, Stdio.Stdio> {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stderrIsTerminal)) return { report: () => Effect.void, clear: Effect.void }
  const clock = yield* Clock.Clock
  const write = (text: string) =>
    Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  const start = clock.currentTimeMillisUnsafe()
  let shown = start
  return {
    report: (events) =>
      Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        if (now - shown < interval) return Effect.void
        shown = now
        return write(restart + format({ events, total, elapsed: now - start, unit }))
      }),
    clear: Effect.suspend(() => (shown === start ? Effect.void : write(restart)))
  }
})
