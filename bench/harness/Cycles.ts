/** Measures the subjects of a row in turn, in cycles, and voids the cycles in which other processes used the machine. */
import { Effect, Schedule, type Scope } from "effect"
import * as Disturbance from "./Disturbance.ts"
import * as Progress from "./Progress.ts"
import type { BenchFailed, Measurement, Row, Started, Subject, Unavailable } from "./Subject.ts"

export interface Options {
  /** Undisturbed cycles to measure. */
  readonly cycles: number
  /** Length of each measurement. */
  readonly seconds: number
  readonly peers: boolean
  /** Also counts disturbed cycles: for a quick look on a busy machine, not for results. */
  readonly keepDisturbed: boolean
}

/** The measurements of one cycle by the name of the subject. */
type Cycle = ReadonlyMap<string, Measurement>

export interface Measured {
  readonly subjects: ReadonlyArray<Subject>
  readonly missing: ReadonlyArray<Unavailable>
  /** Fewer than wanted, or none, if the machine was not quiet. */
  readonly cycles: ReadonlyArray<Cycle>
  readonly voided: number
  /** How many of `cycles` were disturbed. */
  readonly disturbed: number
}

/** At most this many times the wanted number of cycles are run. */
const maxAttempts = 3

interface Runner {
  readonly subject: Subject
  readonly started: Started
}

/** Rotates the order, so that each subject is first in turn. */
const rotated = <A>(items: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const start = by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

const startAll = Effect.fnUntraced(function* (subjects: ReadonlyArray<Subject>) {
  const runners: Array<Runner> = []
  const missing: Array<Unavailable> = []
  for (const subject of subjects) {
    yield* Progress.say(`  starting ${subject.name}`)
    yield* Effect.matchEffect(subject.start, {
      onSuccess: (started) => Effect.sync(() => void runners.push({ subject, started })),
      onFailure: (error) =>
        error._tag === "Unavailable"
          ? Effect.andThen(
              Effect.sync(() => void missing.push(error)),
              Progress.say(`  ${error.message}`)
            )
          : Effect.fail(error)
    })
  }
  return { runners, missing }
})

const runCycle = Effect.fnUntraced(function* (runners: ReadonlyArray<Runner>, seconds: number) {
  const cycle = new Map<string, Measurement>()
  let mostOthers = 0
  let isDisturbed = false
  for (const { started, subject } of runners) {
    const observed = yield* Disturbance.observe(started.measure(seconds))
    cycle.set(subject.name, observed.value)
    mostOthers = Math.max(mostOthers, observed.othersShare ?? 0)
    isDisturbed ||= Disturbance.isDisturbed(observed)
  }
  return { cycle, mostOthers, isDisturbed }
})

const describe = (cycle: Cycle): string =>
  Array.from(
    cycle,
    ([name, { elapsedMs, operations }]) => `${name} ${perSecond(operations, elapsedMs)}`
  ).join(", ")

const perSecond = (operations: number, elapsedMs: number): string =>
  `${Math.round((1000 * operations) / elapsedMs).toLocaleString("en-US")}/s`

/** Keeps all subjects running until the end. Fails if one of them fails. Without subjects there are no cycles. */
export const run: (row: Row, options: Options) => Effect.Effect<Measured, BenchFailed> = Effect.fnUntraced(
  function* (row, options): Effect.fn.Return<Measured, BenchFailed, Scope.Scope> {
    const wanted = row.subjects.filter(({ role }) => options.peers || role !== "peer")
    const { missing, runners } = yield* startAll(wanted)
    if (runners.length === 0) return { subjects: [], missing, cycles: [], voided: 0, disturbed: 0 }
    const cycles: Array<Cycle> = []
    let voided = 0
    let disturbed = 0
    const attempt = Effect.gen(function* () {
      const order = rotated(runners, cycles.length + voided)
      const { cycle, isDisturbed, mostOthers } = yield* runCycle(order, options.seconds)
      const isVoid = isDisturbed && !options.keepDisturbed
      if (isVoid) voided++
      else cycles.push(cycle)
      if (isDisturbed && !isVoid) disturbed++
      const others = isDisturbed ? `: other processes used ${mostOthers.toFixed(2)} of a core` : ""
      yield* Progress.say(`  ${isVoid ? "void" : `cycle ${cycles.length}`}${others} (${describe(cycle)})`)
    })
    yield* Effect.repeat(attempt, {
      until: () => cycles.length === options.cycles,
      schedule: Schedule.recurs(options.cycles * maxAttempts - 1)
    })
    return { subjects: runners.map(({ subject }) => subject), missing, cycles, voided, disturbed }
  },
  Effect.scoped
)
