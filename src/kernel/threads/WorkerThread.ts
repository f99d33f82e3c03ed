/** One worker thread with one task at a time. Each task is answered by one message. */
import { Effect } from "effect"
import { Worker } from "node:worker_threads"
import { WorkerLost } from "./WorkerLost.ts"

export interface WorkerOptions {
  /** A module that answers each message with one message. */
  readonly file: URL
  /** Heap of a worker, in MiB. */
  readonly heapMb: number
  /** Discards what the thread prints. A muted thread keeps the process alive until it is terminated (Node 24). */
  readonly muted: boolean
}

export interface Thread {
  readonly worker: Worker
  settle: (answer: Effect.Effect<unknown, WorkerLost>) => void
}

/** How long to wait for a thread to end: it cannot end while native code runs in it. */
const terminationTimeout = "5 seconds"

const lost = (reason: WorkerLost["reason"]) => Effect.fail(new WorkerLost({ reason }))

const lossOf = (cause: unknown) => {
  const isOutOfMemory = cause instanceof Error && "code" in cause && cause.code === "ERR_WORKER_OUT_OF_MEMORY"
  return lost(isOutOfMemory ? "out_of_memory" : "crashed")
}

export const start = ({ file, heapMb, muted }: WorkerOptions): Thread => {
  const worker = new Worker(file, {
    // The thread gets none of the server's secrets.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16 },
    stdout: muted,
    stderr: muted
  })
  if (muted) {
    worker.stdout.resume()
    worker.stderr.resume()
  }
  // An idle worker does not keep the process alive.
  worker.unref()
  const thread: Thread = { worker, settle: () => {} }
  worker.on("message", (answer: unknown) => thread.settle(Effect.succeed(answer)))
  worker.on("messageerror", (cause) => thread.settle(lossOf(cause)))
  worker.on("error", (cause) => thread.settle(lossOf(cause)))
  worker.on("exit", () => thread.settle(lost("crashed")))
  return thread
}

/** Returns when the thread has ended, or when it will end as soon as its native code returns. */
export const terminate = ({ worker }: Thread): Effect.Effect<void> =>
  Effect.promise(() => worker.terminate()).pipe(
    Effect.interruptible,
    Effect.timeoutOption(terminationTimeout),
    Effect.asVoid
  )

export const isEnded = ({ worker }: Thread): boolean => worker.threadId === -1

/** Sends a copy of `task` to an idle thread and waits for the answer. Has no deadline of its own. */
export const exchange = (thread: Thread, task: unknown) =>
  Effect.callback<unknown, WorkerLost>((resume) => {
    if (isEnded(thread)) return resume(lost("crashed"))
    thread.settle = resume
    thread.worker.ref()
    thread.worker.postMessage(task)
  }).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        thread.settle = () => {}
        thread.worker.unref()
      })
    )
  )
