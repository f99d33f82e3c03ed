/** What holds queues up, one entry for each cause instead of one for each model. Pure. */
import type { Cause, Reason } from "./HeldUp.ts"
import type { Queue } from "./Queues.ts"

export interface HoldUp extends Reason {
  /** Requests that wait because of it. */
  readonly queued: number
  /** The models with the longest queues; at most 20 of `modelCount`. */
  readonly models: ReadonlyArray<string>
  readonly modelCount: number
  /** When the first of their requests became due, Unix time in ms. */
  readonly firstDueAt: number | null
}

const mostModels = 20

const earlier = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b)

/** Limits differ by model, and so do retries. */
const ofOneModel: ReadonlySet<Cause> = new Set(["model_limit", "model_unknown", "unexplained", "retry_later"])

const keyOf = ({ cause, provider }: Reason, { model }: Queue): string =>
  provider === null && ofOneModel.has(cause) ? `${cause} ${model}` : `${cause} ${provider ?? ""}`

/** By the first reason of each queue, the one with the most requests first. */
export const of = (queues: ReadonlyArray<Queue>): ReadonlyArray<HoldUp> => {
  const found = new Map<string, HoldUp>()
  for (const queue of queues) {
    const [reason] = queue.reasons
    if (reason === undefined) continue
    const key = keyOf(reason, queue)
    const known = found.get(key)
    found.set(key, {
      ...reason,
      since: earlier(reason.since, known?.since ?? null),
      until: earlier(reason.until, known?.until ?? null),
      queued: queue.queued + (known?.queued ?? 0),
      models: [...(known?.models ?? []), queue.model].slice(0, mostModels),
      modelCount: 1 + (known?.modelCount ?? 0),
      firstDueAt: earlier(queue.firstDueAt, known?.firstDueAt ?? null)
    })
  }
  return [...found.values()].sort((a, b) => b.queued - a.queued)
}
