/** The plan for the next jobs of a protocol server, and the jobs that it has accepted. */
import { Effect } from "effect"
import type {
  Behaviour,
  Upstream,
  UpstreamJob
} from "#test/support/src/features/providers/contract/Upstream.ts"

/** The server changes its state. */
export interface TakenJob extends Omit<UpstreamJob, "state"> {
  state: UpstreamJob["state"]
  /** When the model got it; `null` before. */
  begunAt: number | null
}

export interface PlannedJobs {
  readonly upstream: Pick<Upstream, "plan" | "release" | "jobs" | "taken">
  /** The plan for the job that arrives now. */
  readonly next: () => Behaviour
  readonly take: (job: UpstreamJob) => TakenJob
  /** Runs `go` once all jobs held now are released. */
  readonly onRelease: (go: () => void) => void
}

/** How long the model has had it, s. */
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
      // Resolves when the server has done the immediate part of the job.
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
