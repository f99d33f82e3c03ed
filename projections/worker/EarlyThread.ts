/**
 * The projections' thread of a server that starts. Its modules take a fifth of a second to load, so they load while the server's own do.
 * Imports no other module of this program, so that it loads first.
 */
import * as workerThreads from "node:worker_threads"

export const entry = new URL("../worker.ts", import.meta.url)

/**
 * V8 would let new objects take over 60 MB before it collects them. Most of a batch's objects live until its end, so that
 * collecting them more often costs no more.
 */
const resourceLimits: workerThreads.ResourceLimits = { maxYoungGenerationSizeMb: 8 }

let early: workerThreads.Worker | undefined

/** The thread does nothing and keeps no process alive before it is taken. */
export const begin = (): workerThreads.Worker => {
  early = new workerThreads.Worker(entry, { resourceLimits })
  early.unref()
  // Without a listener the error of a worker would end the process. The thread that is started in its place reports it.
  early.on("error", () => {})
  return early
}

/** The thread that has begun, once, or else a new one. `data` is its first message, or its `workerData`. */
export const take = (wanted: URL, data: unknown): workerThreads.Worker => {
  const begun = early
  early = undefined
  if (begun === undefined || begun.threadId === -1 || wanted.href !== entry.href) {
    void begun?.terminate()
    return new workerThreads.Worker(wanted, { workerData: data, resourceLimits })
  }
  begun.ref()
  begun.postMessage(data)
  return begun
}
