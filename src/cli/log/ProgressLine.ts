/** How far a long read is, on one line of a terminal; nothing when stderr is none. */
import { Clock, Effect, Stdio, Stream } from "effect"
import * as Output from "../Output.ts"

export interface ProgressLine {
  readonly report: (events: number) => Effect.Effect<void>
  readonly clear: Effect.Effect<void>
}

/** Between two updates, in ms. */
const interval = 200

/** Back to the start of the line, and erase it. */
const restart = "\r\u001b[K"

export const make = Effect.fnUntraced(function* (
  total: number
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
        const rate = Math.round((events * 1000) / (now - start))
        return write(
          `${restart}${Output.count(events)} of ${Output.count(total)} events, ${Output.count(rate)}/s`
        )
      }),
    clear: Effect.suspend(() => (shown === start ? Effect.void : write(restart)))
  }
})
