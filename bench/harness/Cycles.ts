/** Measures the subjects of a row in turn, cycle after cycle, and leaves out the cycles in which the machine was not ours. */
import { Effect, Schedule, type Scope } from "effect"
import * as Disturbance from "./Disturbance.ts"
import * as Progress from "./Progress.ts"
import type { BenchFailed, Measurement, Row, Started, Subject, Unavailable } from "./Subject.ts"

export interface Options {
  /** How many are wanted. */
  readonly cycles: number
  /** Of each measurement. */
  readonly seconds: number
  readonly peers: boolean
  /** Disturbed ones too: for a look on a busy machine, not for results. */
  readonly keepDisturbed: boolean
}

/** What each subject did in one cycle, by its name. */
type Cycle = ReadonlyMap<string, Measurement>

export interface Measured {
  readonly subjects: ReadonlyArray<Subject>
  readonly missing: ReadonlyArray<Unavailable>
  /** Fewer than wanted when the machine would not be quiet; none, at worst. */
  readonly cycles: ReadonlyArray<Cycle>
  readonly voided: number
  /** Of `cycles`: kept though others took the machine. */
  readonly disturbed: number
}

/** Cycles are repeated until this many times those wanted were run. */
const maxAttempts = 3

interface Runner {
  readonly subject: Subject
  readonly started: Started
}

/** Each subject is first in its turn. */
const rotated = <A>(items: ReadonlyArray<A>, by: number): ReadonlyArray<A> => {
  const start = by % items.length
  return [...items.slice(start), ...items.slice(0, start)]
}

const startAll = Effect.fnUntraced(function* (subjects: ReadonlyArray<Subject>) {
  const runners: Array<Runner> = []
  const missing: Array<Unavailable> = []
  for (const subject of subjects) {
    yield* Progress.say(`  starts ${subject.name}`)
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

/** The subjects live until all is measured. Fails when one of them does; without any of them there are no cycles. */
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
      const others = isDisturbed ? `: others took ${mostOthers.toFixed(2)} of a core` : ""
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
