/**
 * The main thread's side of the log's writing thread. The thread starts with the first message, so a process that only reads
 * needs none.
 */
import * as workerThreads from "node:worker_threads"
import * as Packing from "./thread/Packing.ts"
import type { FromThread, ThreadData, ToThread } from "./thread/Protocol.ts"

interface Port {
  readonly post: (message: ToThread) => void
  /** Whether there is something to settle. Without a thread, nothing has been written. */
  readonly isUsed: () => boolean
  /** Calls `done` when everything posted before is done and the thread has ended. */
  readonly close: (done: () => void) => void
}

interface Listener {
  readonly onMessage: (message: FromThread) => void
  /** The thread has ended unexpectedly. */
  readonly onDeath: (reason: string) => void
}

export type Open = (listener: Listener) => Port

const entry = new URL("./thread/worker.ts", import.meta.url)

/** Rows live for one commit. Without the limit, young objects take 48 MB before the first of them are collected. */
const resourceLimits: workerThreads.ResourceLimits = { maxYoungGenerationSizeMb: 8 }

export const open =
  (data: ThreadData): Open =>
  ({ onDeath, onMessage }) => {
    let worker: workerThreads.Worker | undefined
    let isClosing = false
    let failure = "no reason given"

    const start = () => {
      const started = new workerThreads.Worker(entry, { workerData: data, resourceLimits })
      started.on("message", (packed: Packing.PackedFromThread) => onMessage(Packing.outOfThread(packed)))
      // Without a listener the error of a worker would end the process.
      started.on("error", (error) => (failure = error instanceof Error ? error.message : String(error)))
      started.on("exit", () => {
        if (!isClosing) onDeath(failure)
      })
      return started
    }

    return {
      post: (message) => (worker ??= start()).postMessage(Packing.toThread(message)),
      isUsed: () => worker !== undefined || data.isTruncationOwed,
      close: (done) => {
        if (worker === undefined || worker.threadId === -1) return done()
        isClosing = true
        worker.once("exit", done)
        worker.postMessage({ _tag: "Close" } satisfies ToThread)
      }
    }
  }
