/** How far a long run over events is, on one line of a terminal; nothing when stderr is none. */
import { Clock, Effect, Stdio, Stream } from "effect"
import * as Output from "./Output.ts"

export interface ProgressLine {
  /** Events done so far. Shown now and then, however often it is called. */
  readonly report: (events: number) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

export interface Progress {
  readonly events: number
  /** `null` when nobody knows. */
  readonly total: number | null
  /** ms */
  readonly elapsed: number
  /** What is counted; events when not given. */
  readonly unit?: string
}

/** Between two updates, in ms. */
const interval = 200

/** Back to the start of the line, and erase it. */
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

/** `total`: how many there are to do, `null` when nobody knows. */
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
