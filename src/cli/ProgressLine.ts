/** The progress of a long command. */
import { Clock, Effect, Stdio, Stream } from "effect"
import * as Output from "./Output.ts"

interface Progress {
  readonly events: number
  /** `null` when unknown. */
  readonly total: number | null
  /** ms */
  readonly elapsed: number
  readonly unit?: string
}

/** Time between two updates on a terminal, ms. */
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

/** Progress on stderr. A terminal shows the last text, at most every 200 ms; otherwise a line every `elsewhere` ms. */
export const reporter = Effect.fnUntraced(function* (elsewhere: number) {
  const stdio = yield* Stdio.Stdio
  const isTerminal = yield* stdio.stderrIsTerminal
  const clock = yield* Clock.Clock
  const write = (text: string) =>
    Effect.ignore(Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false })))
  const start = clock.currentTimeMillisUnsafe()
  let shown = start
  return {
    /** `format` is called when an update is due, with the elapsed time in ms. */
    update: (format: (elapsed: number, isTerminal: boolean) => string) =>
      Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        if (now - shown < (isTerminal ? interval : elsewhere)) return Effect.void
        shown = now
        const text = format(now - start, isTerminal)
        return write(isTerminal ? restart + text : `${text}\n`)
      }),
    clear: Effect.suspend(() => (isTerminal && shown !== start ? write(restart) : Effect.void))
  }
})

/** Time between two messages to the server that runs the command, ms. */
const tellingInterval = 500

/** Tells the server that runs the command as a proof (`edges/admin/log/Proofs`) how far it is. */
const teller = Effect.map(Clock.Clock, (clock) => {
  let told = -tellingInterval
  return (progress: { readonly done: number; readonly total: number | null; readonly unit: string }) =>
    Effect.sync(() => {
      const now = clock.currentTimeMillisUnsafe()
      if (process.send === undefined || !process.connected || now - told < tellingInterval) return
      told = now
      // A server that is gone does not fail the command.
      process.send(progress, () => {})
    })
})

/** Writes nothing when stderr is not a terminal. `total`: the number of events, `null` when unknown. */
export const make = Effect.fnUntraced(function* (total: number | null, unit = "events") {
  const { clear, update } = yield* reporter(Infinity)
  const tell = yield* teller
  return {
    /** Reports the number of processed events. */
    report: (events: number) =>
      Effect.andThen(
        update((elapsed) => format({ events, total, elapsed, unit })),
        tell({ done: events, total, unit })
      ),
    clear
  }
})
