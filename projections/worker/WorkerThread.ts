/** The server's side of the projections' thread. */
import type * as workerThreads from "node:worker_threads"
import { type Duration, Effect, Schema, type Scope, Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { SegmentSource } from "#streams/archive/SegmentSource.ts"
import type { Progress } from "../Progress.ts"
import * as AnsweredSegments from "./AnsweredSegments.ts"
import * as EarlyThread from "./EarlyThread.ts"
import type { WaitingReaders } from "./WaitingReaders.ts"
import { FromWorker, hurry, stop, wake, type WorkerData } from "./Protocol.ts"

/** The thread has ended unexpectedly. */
export class WorkerStopped extends Schema.TaggedError<WorkerStopped>()("WorkerStopped", {
  reason: Schema.String,
  /** Why the file of the read models must be rebuilt. `null` when it need not be. */
  damage: Schema.NullOr(Schema.String)
}) {
  override get message(): string {
    return this.reason
  }
}

export interface WorkerThreadOptions {
  readonly entry: URL
  readonly data: WorkerData
  readonly reader: EventReader["Service"]
  readonly publish: (moved: ReadonlyArray<Progress>) => void
  readonly waiting: WaitingReaders
}

const decode = Schema.decodeUnknownSync(FromWorker)

/**
 * How long a wake-up waits for the batch that it causes before the next one is sent. A thread that could not read the log
 * does not report.
 */
const wakeUpTimeout: Duration.Input = "1 second"

/** Runs a worker until it stops. The worker ends with the effect. */
export const run = (options: WorkerThreadOptions): Effect.Effect<never, WorkerStopped | EventStoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { reported, stopped, worker } = yield* start(options)
      yield* Effect.acquireRelease(
        Effect.sync(() => options.waiting.listen(() => worker.postMessage(hurry))),
        (end) => Effect.sync(end)
      )
      // Under load, a batch has one wake-up, however many commits it contains.
      const wakeUp = Stream.runForEach(options.reader.changes, (position) =>
        Effect.andThen(
          Effect.sync(() => worker.postMessage(wake)),
          Effect.timeoutOption(reported.until(position), wakeUpTimeout)
        )
      )
      return yield* Effect.raceFirst(stopped, Effect.andThen(wakeUp, Effect.never))
    })
  )

/** The last position that the worker has reported. */
const makeReported = () => {
  let reached = GlobalPosition.beginning
  let check = () => {}
  return {
    add: (moved: ReadonlyArray<Progress>) => {
      for (const { position } of moved) if (!GlobalPosition.isReached(position, reached)) reached = position
      check()
    },
    /** For one waiting fiber. */
    until: (position: GlobalPosition.GlobalPosition) =>
      Effect.callback<void>((resume) => {
        check = () => {
          if (GlobalPosition.isReached(position, reached)) resume(Effect.void)
        }
        check()
        return Effect.sync(() => (check = () => {}))
      })
  }
}

/** A thread that is behind reads the message between two batches. */
const stopTimeout: Duration.Input = "1 second"

/**
 * Terminating a thread may interrupt SQLite in the middle of a call. So the thread is first asked to close its files, and
 * terminated if it does not react.
 */
const end = (worker: workerThreads.Worker): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (worker.threadId === -1) return resume(Effect.void)
    worker.once("exit", () => resume(Effect.void))
    worker.postMessage(stop)
  }).pipe(
    Effect.interruptible,
    Effect.timeoutOption(stopTimeout),
    Effect.andThen(Effect.promise(() => worker.terminate()))
  )

const start = Effect.fnUntraced(function* ({ entry, data, publish }: WorkerThreadOptions) {
  const runFork = Effect.runForkWith(yield* Effect.context<Scope.Scope>())
  const log = ({ level, message, annotations }: Extract<FromWorker, { readonly _tag: "Logged" }>) =>
    Effect.annotateLogs(Effect.logWithLevel(level)(message), annotations)

  const segments = yield* SegmentSource
  const reported = makeReported()
  let failure = "no reason given"
  let damage: string | null = null
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const worker = EarlyThread.take(entry, data)
      // Without a listener the error of a worker would end the process.
      worker.on("error", (error) => (failure = error instanceof Error ? error.name : "not an Error"))
      worker.on("message", (message) => {
        const report = decode(message)
        switch (report._tag) {
          case "Moved":
            publish(report.moved)
            return reported.add(report.moved)
          case "SegmentWanted":
            return void runFork(
              AnsweredSegments.answer(segments, report, (answer) => worker.postMessage(answer))
            )
          case "Logged":
            return void runFork(log(report))
          case "Ended":
            failure = report.reason
            damage = report.damage
        }
      })
      return worker
    }),
    end
  )
  const stopped = Effect.callback<never, WorkerStopped>((resume) => {
    worker.on("exit", (code) =>
      resume(
        new WorkerStopped({
          reason: `The projections' thread ended with exit code ${code}: ${failure}`,
          damage
        })
      )
    )
  })
  return { worker, stopped, reported }
})
