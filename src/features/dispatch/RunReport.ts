/** Reports a run with few events: one that ends at once appends its start with its end; progress is sampled. */
import { type Cause, type Clock, Effect, Exit } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import * as LogLines from "#domain/inference-request/LogLines.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import type { LiveRun } from "#src/features/live-output/LiveRun.ts"
import type { LiveRuns } from "#src/features/live-output/LiveRuns.ts"
import type { Progress, RunControl } from "#src/features/providers/Provider.ts"
import { untilStored } from "#src/platform/reactors/UntilStored.ts"
import type { RequestActors } from "#src/features/requests/RequestActors.ts"
import type { Deadlines } from "#src/kernel/time/Deadlines.ts"
import type { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { About, Fork } from "./RunFibers.ts"
import { StopSignal } from "./StopSignal.ts"

/** A run that ends within this time of its start has both in one append, ms. */
const startGraceMs = 20

/** A call that was not refused by then counts as started, even without an answer, ms. */
const refusalMs = 1_000

/** Time to record the start of a run before its request would expire, ms. */
const recordingMs = 250

/** Progress is recorded at most this often, ms; less often on long runs, so that an hour has about 250 events. */
const minProgressIntervalMs = 1_000
const progressIntervalShare = 1 / 50

/** Characters of a log line. Lines between two records are limited like the request's log. */
const maxLineLength = 1_000

const noLines: ReadonlyArray<string> = []

/** What the reports of all runs have in common. */
export interface Reporting {
  readonly actors: RequestActors["Service"]
  readonly steady: SteadyTime["Service"]
  readonly clock: Clock.Clock
  readonly deadlines: Deadlines
  readonly outputs: LiveRuns["Service"]
  /** Runs what has to be told of a report that nothing waits for. */
  readonly fork: Fork
}

export interface Reported {
  readonly id: RequestId
  /** Number of the run. */
  readonly attempt: number
  /** When its request expires unless a run has started, Unix time in ms; `null`: never. */
  readonly startBy: number | null
}

const logFailure = (cause: Cause.Cause<unknown>) =>
  Effect.logWarning("A report of a run was not recorded", cause)

/** Reports never fail a run: what cannot be recorded is logged. */
const logged = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.asVoid(Effect.catchCause(effect, logFailure))

/** A provider may report any number. */
const known = (fraction: number | null) =>
  fraction === null || Number.isNaN(fraction) ? null : Math.min(Math.max(fraction, 0), 1)

/** Thousands of runs may be held, each with one, so it consists of what is known and of nothing else. */
export class RunReport implements RunControl {
  readonly stop = new StopSignal()
  readonly #to: Reporting
  readonly #about: About
  readonly #run: Reported
  #isAccepted = false
  #startedAt: number | null = null
  #isStartRecorded = false
  #isPending = false
  /** Keeps the start from being recorded without the end. */
  #holdStart: (() => void) | null = null
  /** Whether chunks of the output are shown, and where. A provider that goes on after the run's end shows nothing more. */
  #isShown = false
  #live: LiveRun | null = null
  #lines: ReadonlyArray<string> = noLines
  #fraction: number | null = null
  /** On the monotonic clock, ms. */
  #begunAt = 0
  #progressAt = 0

  constructor(to: Reporting, about: About, run: Reported) {
    this.#to = to
    this.#about = about
    this.#run = run
  }

  get stopRequested(): Effect.Effect<void> {
    return this.stop.sent
  }

  isStoppedWithin(ms: number): Effect.Effect<boolean> {
    return this.stop.isSentWithin(this.#to.deadlines, ms)
  }

  /** Whether the provider has reported on the run. */
  get isHeardOf(): boolean {
    return this.#isAccepted || this.#startedAt !== null
  }

  /** Since its start; 0 before it. */
  get seconds(): number {
    return this.#startedAt === null ? 0 : (this.#now() - this.#begunAt) / 1_000
  }

  get accepted(): RunControl["accepted"] {
    return (jobId) => Effect.suspend(() => this.#accept(jobId))
  }

  get started(): Effect.Effect<void> {
    return Effect.sync(() => this.start())
  }

  start(): void {
    if (this.#startedAt !== null) return
    const { clock, steady } = this.#to
    this.#startedAt = steady.nowOf(clock)
    this.#begunAt = this.#progressAt = this.#now()
    this.#recordStartSoon()
  }

  get startWithinMs(): Effect.Effect<number> {
    const { startBy } = this.#run
    const { steady } = this.#to
    return startBy === null
      ? Effect.succeed(refusalMs)
      : Effect.map(steady.now, (now) => Math.min(Math.max(startBy - recordingMs - now, 0), refusalMs))
  }

  get progress(): RunControl["progress"] {
    return (report) => Effect.suspend(() => (this.#isDue(report) ? this.#recordProgress() : Effect.void))
  }

  note(report: Progress): void {
    if (this.#isDue(report)) this.#to.fork(this.#about, this.#recordProgress())
  }

  /** Call it before a run whose model shows its output as it is made. Chunks of an earlier run do not count any more. */
  showOutput(isNewRun: boolean): void {
    this.#isShown = true
    if (isNewRun && this.#run.attempt > 1) this.#live = this.#beginOutput()
  }

  chunk(chunk: Json, scalar?: string | null): void {
    this.start()
    if (this.#isShown) this.#liveRun().chunk(chunk, scalar)
  }

  restartChunks(): void {
    if (this.#isShown) this.#live = this.#beginOutput()
  }

  /** Readers learn that a new run makes the output. */
  #liveRun(): LiveRun {
    return (this.#live ??= this.#beginOutput())
  }

  #beginOutput(): LiveRun {
    const { attempt, id } = this.#run
    return this.#to.outputs.begin(id, attempt)
  }

  /** Call it if the run has not ended at once: its start is then recorded without waiting for its end. */
  pending(): void {
    this.#isPending = true
    this.#recordStartSoon()
  }

  /**
   * Call it at the end of the run: stores the last chunks, records the last lines and returns the start's time, for the outcome.
   * @param hasOutput whether the chunks add up to the output of the request.
   */
  finish(hasOutput: boolean): Effect.Effect<number | null> {
    this.#holdStart?.()
    this.#isShown = false
    const recorded = this.#lines.length === 0 ? null : this.#recordProgress()
    if (this.#live === null)
      return recorded === null ? Effect.succeed(this.#startedAt) : Effect.map(recorded, () => this.#startedAt)
    const shown = this.#to.outputs.end(this.#live, hasOutput)
    return Effect.map(Effect.andThen(shown, recorded ?? Effect.void), () => this.#startedAt)
  }

  /** Call it when the run is over without an outcome: its output is not shown any more. */
  leave(): Effect.Effect<void> {
    this.#isShown = false
    return this.#live === null ? Effect.void : this.#to.outputs.end(this.#live, false)
  }

  #now(): number {
    return MonotonicTime.millisOf(this.#to.clock)
  }

  /** Retries until the run is over, because without the id the job could not be found again. */
  #accept(jobId: string): Effect.Effect<void> {
    const { actors, clock, steady } = this.#to
    const { attempt, id } = this.#run
    this.#isAccepted = true
    const command = { _tag: "RecordAccepted", at: steady.nowOf(clock), attempt, jobId } as const
    return logged(untilStored("The job of a run is not recorded yet", actors.execute(id, command)))
  }

  #recordStart(): Effect.Effect<void> {
    const { attempt, id } = this.#run
    const at = this.#startedAt
    if (this.#isStartRecorded || at === null) return Effect.void
    return logged(
      Effect.map(this.#to.actors.execute(id, { _tag: "RecordStarted", at, attempt }), () => {
        this.#isStartRecorded = true
      })
    )
  }

  #recordStartSoon(): void {
    const at = this.#startedAt
    if (!this.#isPending || at === null || this.#holdStart !== null) return
    const { actors, deadlines, fork } = this.#to
    this.#holdStart = deadlines.after(startGraceMs, () => {
      if (this.#isStartRecorded) return
      const { attempt, id } = this.#run
      actors.send(id, { _tag: "RecordStarted", at, attempt }, [], (exit) => {
        if (Exit.isSuccess(exit)) this.#isStartRecorded = true
        else fork(this.#about, logFailure(exit.cause))
      })
    })
  }

  /** Takes a report. Whether the progress is to be recorded now. */
  #isDue({ fraction, logs }: Progress): boolean {
    this.start()
    this.#fraction = known(fraction) ?? this.#fraction
    this.#lines = LogLines.newest([...this.#lines, ...logs.map((line) => line.slice(0, maxLineLength))])
    const now = this.#now()
    const interval = Math.max(minProgressIntervalMs, (now - this.#begunAt) * progressIntervalShare)
    return now - this.#progressAt >= interval
  }

  #recordProgress(): Effect.Effect<void> {
    const logs = this.#lines
    const fraction = this.#fraction
    if (logs.length === 0 && fraction === null) return Effect.void
    const { actors, clock, steady } = this.#to
    const { attempt, id } = this.#run
    const at = steady.nowOf(clock)
    this.#progressAt = this.#now()
    this.#lines = noLines
    this.#fraction = null
    return Effect.andThen(
      this.#recordStart(),
      logged(actors.execute(id, { _tag: "RecordProgress", at, attempt, fraction, logs }))
    )
  }
}
