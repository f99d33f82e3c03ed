/**
 * Digests of large bodies in threads: MD5 of a GiB takes more than a second, which would block the server. Threads
 * start when needed, and read the bytes from the file, which is in the page cache, so that nothing is copied between
 * threads.
 */
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, type Scope } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { Algorithm, FromThread, ToThread } from "./HashProtocol.ts"

export interface Hashing {
  /** Announces bytes of a file that stays open until the scope of the hashing closes. */
  readonly read: (descriptor: number, from: number, to: number) => void
  /** Announces bytes, which are copied. */
  readonly update: (bytes: Uint8Array) => void
  /** Announced bytes that are not hashed yet. */
  readonly behind: () => number
  /** Calls back whenever some were hashed, and at the end. */
  readonly onProgress: (callback: () => void) => void
  /** Waits until at most this many bytes are behind. */
  readonly caughtUp: (bytes: number) => Effect.Effect<void>
  /** Hex, over all announced bytes. Announce none afterwards. */
  readonly digest: Effect.Effect<string, BlobStoreError>
}

interface Thread {
  readonly worker: Worker
  readonly jobs: Map<number, Job>
}

interface Job {
  behind: number
  end: { readonly hex: string | null } | null
  readonly callbacks: Set<() => void>
}

const entry = new URL("./hashThread.ts", import.meta.url)

/** One body takes two. */
const mostThreads = Math.min(4, Math.max(2, os.availableParallelism()))

/** MiB. The heap only holds messages. */
const heap = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

const lost = new BlobStoreError({ reason: "could not read what was written, to hash it" })

/** Without the server's secrets; only the location of Node's compile cache. */
const environment = () => {
  const cache = process.env["NODE_COMPILE_CACHE"]
  return cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
}

const start = (): Thread => {
  const worker = new Worker(entry, {
    env: environment(),
    execArgv: [],
    resourceLimits: heap,
    stdout: true,
    stderr: true
  })
  const jobs = new Map<number, Job>()
  const settle = (id: number, job: Job, hex: string | null) => {
    jobs.delete(id)
    job.end = { hex }
    for (const callback of job.callbacks) callback()
  }
  worker.on("message", (message: FromThread) => {
    const job = jobs.get(message.job)
    if (job === undefined) return
    if (message._tag === "Ended") return settle(message.job, job, message.hex)
    job.behind -= message.bytes
    for (const callback of job.callbacks) callback()
  })
  // Without a listener the error would end the process.
  worker.on("error", () => {})
  worker.on("exit", () => {
    for (const [id, job] of jobs) settle(id, job, null)
  })
  worker.stdout.resume()
  worker.stderr.resume()
  // An idle thread does not keep the process alive.
  worker.unref()
  return { worker, jobs }
}

/** Waits for a state of a job. */
const until = (job: Job, isSo: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (isSo()) return resume(Effect.void)
    const look = () => {
      if (!isSo()) return
      job.callbacks.delete(look)
      resume(Effect.void)
    }
    job.callbacks.add(look)
    return Effect.sync(() => job.callbacks.delete(look))
  })

const ended = (job: Job) =>
  Effect.map(
    until(job, () => job.end !== null),
    () => job.end?.hex ?? null
  )

export class HashThreads extends Context.Service<
  HashThreads,
  {
    /** When its scope has closed, no thread reads any of its files. */
    begin(algorithm: Algorithm): Effect.Effect<Hashing, never, Scope.Scope>
  }
>()("inferlog/src/features/media/storage/local/HashThreads") {
  static readonly layer = Layer.effect(
    HashThreads,
    Effect.gen(function* () {
      const threads: Array<Thread> = []
      let lastJob = 0

      yield* Effect.addFinalizer(() =>
        Effect.forEach([...threads], ({ worker }) => Effect.promise(() => worker.terminate()), {
          concurrency: "unbounded"
        })
      )

      const startAnother = (): Thread => {
        const thread = start()
        threads.push(thread)
        thread.worker.once("exit", () => threads.splice(threads.indexOf(thread), 1))
        return thread
      }

      /** The thread with the fewest jobs; a new one if all have some. */
      const take = (): Thread => {
        const [least] = threads.toSorted((a, b) => a.jobs.size - b.jobs.size)
        const isEnough = least !== undefined && (least.jobs.size === 0 || threads.length >= mostThreads)
        return isEnough ? least : startAnother()
      }

      const beginIn = ({ jobs, worker }: Thread, algorithm: Algorithm) => {
        const id = ++lastJob
        const job: Job = { behind: 0, end: null, callbacks: new Set() }
        const post = (message: ToThread) => worker.postMessage(message)
        jobs.set(id, job)
        post({ _tag: "Begin", job: id, algorithm })
        const hashing: Hashing = {
          read: (descriptor, from, to) => {
            job.behind += to - from
            post({ _tag: "Read", job: id, descriptor, from, to })
          },
          update: (bytes) => {
            job.behind += bytes.length
            const copy = new Uint8Array(bytes)
            worker.postMessage({ _tag: "Update", job: id, bytes: copy } satisfies ToThread, [copy.buffer])
          },
          behind: () => (job.end === null ? job.behind : 0),
          onProgress: (callback) => void job.callbacks.add(callback),
          caughtUp: (bytes) => until(job, () => hashing.behind() <= bytes),
          digest: Effect.suspend(() => {
            post({ _tag: "Digest", job: id })
            return Effect.flatMap(ended(job), (hex) => (hex === null ? lost : Effect.succeed(hex)))
          })
        }
        const cancel = Effect.suspend(() => {
          if (job.end === null) post({ _tag: "Cancel", job: id })
          return Effect.asVoid(ended(job))
        })
        return { hashing, cancel }
      }

      return HashThreads.of({
        begin: (algorithm) =>
          Effect.acquireRelease(
            Effect.sync(() => beginIn(take(), algorithm)),
            ({ cancel }) => cancel
          ).pipe(Effect.map(({ hashing }) => hashing))
      })
    })
  )
}
