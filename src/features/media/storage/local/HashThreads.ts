/**
 * Digests of large bodies, in threads: MD5 takes more than a second for a GiB, in which the server's thread would answer
 * nobody. Threads are started when they are needed, and read what is in a file by themselves: out of the page cache, so
 * that nothing is copied from thread to thread.
 */
import * as os from "node:os"
import { Worker } from "node:worker_threads"
import { Context, Effect, Layer, type Scope } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"
import type { Algorithm, FromThread, ToThread } from "./HashProtocol.ts"

export interface Hashing {
  /** Tells of bytes in a file that stays open until the scope of the hashing is closed. */
  readonly read: (descriptor: number, from: number, to: number) => void
  /** Tells of bytes, which are copied. */
  readonly update: (bytes: Uint8Array) => void
  /** Bytes that were told, and are not hashed yet. */
  readonly behind: () => number
  /** Calls back each time when some were hashed, and at the end. */
  readonly onProgress: (callback: () => void) => void
  /** Waits until no more than so many bytes are behind. */
  readonly caughtUp: (bytes: number) => Effect.Effect<void>
  /** Hex, of all that was told. Nothing may be told after. */
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

/** MiB. Nothing but messages is in there. */
const heap = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }

const lost = new BlobStoreError({ reason: "could not read what was written, to hash it" })

/** No secrets of the server: only where Node keeps what it has compiled. */
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
  // Without a listener it would end the process.
  worker.on("error", () => {})
  worker.on("exit", () => {
    for (const [id, job] of jobs) settle(id, job, null)
  })
  worker.stdout.resume()
  worker.stderr.resume()
  // An idle thread does not keep the process from ending.
  worker.unref()
  return { worker, jobs }
}

/** Waits until something of a job is as it is to be. */
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
    /** Once its scope is closed no thread reads any of the files that were told. */
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

      /** The one with the fewest jobs; another one when all have some. */
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
