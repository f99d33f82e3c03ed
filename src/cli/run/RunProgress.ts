/** The progress of a request on a terminal: one line on stderr. */
import { Effect, Schedule, Stdio } from "effect"
import * as Output from "#src/cli/Output.ts"
import * as ProgressLine from "#src/cli/ProgressLine.ts"

export interface Seen {
  readonly status: string
  /** Completed share, 0 to 1; `null` when it is not reported. */
  readonly progress: number | null
  /** Why no run can begin now. */
  readonly waitingReason: string | null
}

export interface RunProgress {
  readonly isShown: boolean
  readonly see: (seen: Partial<Seen>) => void
  /** Erases the line for good, because the output takes its place. */
  readonly end: Effect.Effect<void>
  /** Prints a message on its own line. */
  readonly say: (text: string) => Effect.Effect<void>
}

const statuses: Readonly<Record<string, string>> = {
  SUBMITTING: "Submitting",
  IN_QUEUE: "In the queue",
  IN_PROGRESS: "Running"
}

/** `Running  40 %  12 s`; `In the queue  3 s  No worker asks for jobs of the model`. `elapsed` in ms. */
export const format = ({ progress, status, waitingReason }: Seen, elapsed: number): string =>
  Output.printable(
    [
      statuses[status] ?? "Ending",
      ...(progress === null ? [] : [`${Math.round(progress * 100)} %`]),
      Output.duration(elapsed),
      ...(waitingReason === null ? [] : [waitingReason])
    ].join("  ")
  )

const pace = Schedule.spaced("200 millis")

/** Drawn until the scope closes. */
export const make = Effect.fnUntraced(function* (
  isSilent: boolean,
  print: (text: string) => Effect.Effect<void>
) {
  const isShown = !isSilent && (yield* (yield* Stdio.Stdio).stderrIsTerminal)
  const { clear, update } = yield* ProgressLine.reporter(Infinity)
  let seen: Seen = { status: "SUBMITTING", progress: null, waitingReason: null }
  let hasEnded = !isShown
  const draw = Effect.suspend(() => (hasEnded ? Effect.void : update((elapsed) => format(seen, elapsed))))
  const end = Effect.suspend(() => {
    if (hasEnded) return Effect.void
    hasEnded = true
    return clear
  })
  if (isShown) yield* Effect.forkScoped(Effect.repeat(draw, pace))
  yield* Effect.addFinalizer(() => end)
  return {
    isShown,
    end,
    see: (next) => {
      seen = { ...seen, ...next }
    },
    say: (text) => Effect.andThen(isShown ? clear : Effect.void, print(Output.printable(text)))
  } satisfies RunProgress
})
