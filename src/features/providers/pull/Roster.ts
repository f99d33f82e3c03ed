/** The workers that call this node: for operators and for the count of connected ones. */
import * as JobFilter from "./JobFilter.ts"

/** A worker, or several that cannot be told apart: with one key, one version and the same models, and without an id. */
interface SeenWorker {
  readonly keyId: string
  /** As it calls itself (`X-Worker-Id`); `null` if it does not. */
  readonly id: string | null
  /** `X-Worker-Version`, or else its user agent; `null` without both. */
  readonly version: string | null
  /** The models that it asks for; `null` for all that its key allows. */
  readonly models: ReadonlyArray<string> | null
  /** Calls that wait for a job. */
  readonly waiting: number
  /** Jobs in hand. */
  readonly jobs: number
  /** When it last asked for a job, and when it last called at all, Unix time in ms. */
  readonly lastPollAt: number
  readonly lastCallAt: number
}

/** How long a worker that is gone stays known, ms. */
const rememberedMs = 10 * 60_000

/** The most workers that are known. */
const mostWorkers = 10_000

/** A worker without a call for this long is gone, ms. */
export const graceMs = 10_000

interface Entry {
  wish: JobFilter.JobFilter
  waiting: number
  jobs: number
  lastPollAt: number
  lastCallAt: number
}

export interface Roster {
  /** The worker waits for a job. */
  readonly joined: (wish: JobFilter.JobFilter) => void
  readonly left: (wish: JobFilter.JobFilter) => void
  /** The worker has one more job, or one less. */
  readonly took: (wish: JobFilter.JobFilter) => void
  readonly ended: (wish: JobFilter.JobFilter) => void
  /** The worker has called about a job. */
  readonly heard: (wish: JobFilter.JobFilter) => void
  /** Those that called last are first. */
  readonly all: () => ReadonlyArray<SeenWorker>
  /** Workers that wait, work, or have called within ten seconds, and could run the model. */
  readonly connected: (model: string) => number
}

const nameOf = (wish: JobFilter.JobFilter): string => {
  const { id = null, version = null } = wish.worker.about ?? {}
  // A worker with an id is one, whatever it asks for and whatever its version is.
  return JSON.stringify(
    id === null ? [wish.worker.keyId, null, version, JobFilter.nameOf(wish)] : [wish.worker.keyId, id]
  )
}

const seen = ({ wish, ...calls }: Entry): SeenWorker => {
  const { id = null, version = null } = wish.worker.about ?? {}
  const models = wish.models === null ? null : [...wish.models]
  return { keyId: wish.worker.keyId, id, version, models, ...calls }
}

/** @param now Unix time in ms. */
export const make = (now: () => number): Roster => {
  /** The one that called first is first. */
  const workers = new Map<string, Entry>()

  const isPresent = ({ jobs, lastCallAt, waiting }: Entry, at: number) =>
    waiting > 0 || jobs > 0 || at - lastCallAt < graceMs

  const forget = (at: number) => {
    for (const [name, entry] of workers) {
      if (at - entry.lastCallAt <= rememberedMs && workers.size <= mostWorkers) return
      if (entry.waiting === 0 && entry.jobs === 0) workers.delete(name)
    }
  }

  /** Moves it to the end. */
  const called = (name: string, entry: Entry, at: number) => {
    entry.lastCallAt = at
    workers.delete(name)
    workers.set(name, entry)
  }

  const touch = (wish: JobFilter.JobFilter): Entry => {
    const at = now()
    const name = nameOf(wish)
    const known = workers.get(name)
    const entry = known ?? { wish, waiting: 0, jobs: 0, lastPollAt: at, lastCallAt: at }
    called(name, entry, at)
    if (known === undefined) forget(at)
    return entry
  }

  return {
    joined: (wish) => {
      const entry = touch(wish)
      entry.waiting++
      entry.lastPollAt = entry.lastCallAt
      // With an id it may ask for other models than before.
      entry.wish = wish
    },
    left: (wish) => {
      const entry = touch(wish)
      entry.waiting = Math.max(entry.waiting - 1, 0)
    },
    took: (wish) => {
      touch(wish).jobs++
    },
    ended: (wish) => {
      const entry = workers.get(nameOf(wish))
      if (entry !== undefined) entry.jobs = Math.max(entry.jobs - 1, 0)
    },
    heard: (wish) => void touch(wish),
    all: () => {
      forget(now())
      return [...workers.values()].map(seen).toReversed()
    },
    connected: (model) => {
      const at = now()
      let count = 0
      for (const entry of workers.values()) {
        if (!isPresent(entry, at) || !JobFilter.isFor(entry.wish, model)) continue
        // Without an id, each waiting call and each job may be a worker of its own.
        count += entry.wish.worker.about?.id ? 1 : Math.max(entry.waiting + entry.jobs, 1)
      }
      return count
    }
  }
}
