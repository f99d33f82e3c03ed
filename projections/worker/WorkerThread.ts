/** The server's side of the projections' thread. */
import * as workerThreads from "node:worker_threads"
import { type Duration, Effect, Schema, type Scope, Stream } from "effect"
import type { EventReader, EventStoreError } from "#streams/EventReader.ts"
import type { Progress } from "../Progress.ts"
import { FromWorker, stop, wake, type WorkerData } from "./Protocol.ts"

/** The thread has ended, which it never does by itself. */
export class WorkerStopped extends Schema.TaggedError<WorkerStopped>()("WorkerStopped", {
  reason: Schema.String,
  /** Why the file of the read models has to be built anew; `null` when it need not. */
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
}

const decode = Schema.decodeUnknownSync(FromWorker)

/** Between two wake-ups: under load there are several commits within it, and each message costs what a small one does. */
const wakeUpInterval: Duration.Input = "1 millis"

/** Runs one worker until it stops; it is ended with the effect. */
export const run = (options: WorkerThreadOptions): Effect.Effect<never, WorkerStopped | EventStoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { worker, stopped } = yield* start(options)
      const wakeUp = Stream.runForEach(options.reader.changes, () =>
        Effect.andThen(
          Effect.sync(() => worker.postMessage(wake)),
          Effect.sleep(wakeUpInterval)
        )
      )
      return yield* Effect.raceFirst(stopped, Effect.andThen(wakeUp, Effect.never))
    })
  )

/** A thread that is behind hears of its end between two batches. */
const stopTimeout: Duration.Input = "1 second"

/**
 * A thread that is ended from outside may be in the middle of SQLite, which then goes on in a thread that is being taken
 * down. So it is asked first, and closes its files; one that does not answer is ended all the same.
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

  let failure = "no reason given"
  let damage: string | null = null
  const worker = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const worker = new workerThreads.Worker(entry, { workerData: data })
      // Without a listener the error of a worker would end the process.
      worker.on("error", (error) => (failure = error instanceof Error ? error.name : "not an Error"))
      worker.on("message", (message) => {
        const said = decode(message)
        switch (said._tag) {
          case "Moved":
            return publish(said.moved)
          case "Logged":
            return void runFork(log(said))
          case "Ended":
            failure = said.reason
            damage = said.damage
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
  return { worker, stopped }
})
