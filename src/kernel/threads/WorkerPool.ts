/** Worker threads for work that may crash, hang or exhaust memory: one task at a time; a failed worker is replaced. */
import { Duration, Effect, Exit, Queue, type Scope, Semaphore } from "effect"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as WorkerThread from "./WorkerThread.ts"
import { WorkerLost } from "./WorkerLost.ts"

export interface WorkerPoolOptions extends WorkerThread.WorkerOptions {
  /** The most workers. They are started on demand. */
  readonly size: number
  /** An idle worker ends after this time, or at most twice as long. */
  readonly timeToLive: Duration.Duration
}

export interface WorkerPool {
  /** Waits for a worker, runs `started` and sends a copy of the task. Interruption and `deadline` end the worker. */
  run(options: {
    readonly task: unknown
    readonly started: Effect.Effect<void>
    readonly deadline: Duration.Duration
  }): Effect.Effect<unknown, WorkerLost>
}

interface Idle {
  readonly thread: WorkerThread.Thread
  /** ms */
  readonly since: number
}

export const make = Effect.fn("WorkerPool.make")(function* (
  options: WorkerPoolOptions
): Effect.fn.Return<WorkerPool, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const slots = yield* Semaphore.make(options.size)
  const timeToLive = Duration.toMillis(options.timeToLive)
  /** The most recently used worker comes last, so that unneeded ones expire at the front. */
  const idle: Array<Idle> = []

  yield* Effect.addFinalizer(() =>
    Effect.forEach(idle.splice(0), ({ thread }) => WorkerThread.terminate(thread), {
      concurrency: "unbounded"
    })
  )

  const retire = Effect.gen(function* () {
    const now = yield* MonotonicTime.millis
    const firstUsable = idle.findIndex(({ since }) => since + timeToLive > now)
    const old = idle.splice(0, firstUsable === -1 ? idle.length : firstUsable)
    yield* Effect.forEach(old, ({ thread }) => WorkerThread.terminate(thread), { concurrency: "unbounded" })
  })
  /** Sleeps while no worker is idle. */
  const isIdle = yield* Queue.sliding<void>(1)
  const retireWhenOld = Effect.gen(function* () {
    yield* Queue.take(isIdle)
    yield* Effect.sleep(options.timeToLive)
    yield* retire
    if (idle.length > 0) Queue.offerUnsafe(isIdle, undefined)
  })
  yield* Effect.forkScoped(Effect.forever(retireWhenOld))

  const take = Effect.sync(() => {
    for (let last = idle.pop(); last !== undefined; last = idle.pop()) {
      if (!WorkerThread.isEnded(last.thread)) return last.thread
    }
    return WorkerThread.start(options)
  })

  const giveBack = Effect.fnUntraced(function* (
    thread: WorkerThread.Thread,
    exit: Exit.Exit<unknown, WorkerLost>
  ) {
    if (Exit.isSuccess(exit)) {
      idle.push({ thread, since: yield* MonotonicTime.millis })
      Queue.offerUnsafe(isIdle, undefined)
      return yield* slots.release(1)
    }
    // The loss is reported at once. The slot becomes free when the thread has ended, so that the number of threads
    // stays bounded.
    return yield* WorkerThread.terminate(thread).pipe(
      Effect.ensuring(slots.release(1)),
      Effect.forkIn(scope, { startImmediately: true })
    )
  })

  const run: WorkerPool["run"] = Effect.fn("WorkerPool.run")(({ task, started, deadline }) =>
    Effect.acquireUseRelease(
      Effect.andThen(Effect.interruptible(slots.take(1)), take),
      (thread) =>
        Effect.andThen(started, WorkerThread.exchange(thread, task)).pipe(
          Effect.timeoutOrElse({
            duration: deadline,
            orElse: () => Effect.fail(new WorkerLost({ reason: "deadline" }))
          })
        ),
      giveBack
    )
  )

  return { run }
})
