/** What a protocol server is to do with its next jobs, and those that it has taken. */
import { Effect } from "effect"
import type { Behaviour, Upstream, UpstreamJob } from "#test/src/features/providers/contract/Upstream.ts"

/** Its state is for the server to move. */
export interface TakenJob extends Omit<UpstreamJob, "state"> {
  state: UpstreamJob["state"]
  /** When the model was given it; `null` before. */
  begunAt: number | null
}

export interface PlannedJobs {
  readonly upstream: Pick<Upstream, "plan" | "release" | "jobs" | "taken">
  /** What the job that comes now meets. */
  readonly next: () => Behaviour
  readonly take: (job: UpstreamJob) => TakenJob
  /** `go` once all that is held now is let go. */
  readonly onRelease: (go: () => void) => void
}

/** For how long the model has had it, s. */
export const seconds = ({ begunAt }: TakenJob): number =>
  begunAt === null ? 0 : (performance.now() - begunAt) / 1_000

export const begin = (job: TakenJob): void => {
  job.state = "running"
  job.begunAt ??= performance.now()
}

export const isOver = ({ state }: TakenJob): boolean => state !== "queued" && state !== "running"

export const make = (): PlannedJobs => {
  const planned: Array<Behaviour> = []
  const jobs: Array<TakenJob> = []
  const watchers = new Set<() => void>()
  let held: Array<() => void> = []

  return {
    next: () => planned.shift() ?? { _tag: "Succeeds" },
    take: (job) => {
      const taken: TakenJob = { ...job, begunAt: null }
      jobs.push(taken)
      // Once the server has done with the job what it does at once.
      queueMicrotask(() => watchers.forEach((watch) => watch()))
      return taken
    },
    onRelease: (go) => held.push(go),
    upstream: {
      plan: (...behaviours) => Effect.sync(() => void planned.push(...behaviours)),
      release: Effect.sync(() => {
        const goes = held
        held = []
        goes.forEach((go) => go())
      }),
      jobs: Effect.sync(() => jobs.map(({ begunAt: _begunAt, ...job }) => job)),
      taken: (count) =>
        Effect.callback<void>((resume) => {
          const watch = () => {
            if (jobs.length < count) return
            watchers.delete(watch)
            resume(Effect.void)
          }
          watchers.add(watch)
          watch()
          return Effect.sync(() => watchers.delete(watch))
        })
    }
  }
}
