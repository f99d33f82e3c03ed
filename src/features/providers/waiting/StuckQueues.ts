/** Logs which models have requests that nothing runs: after some seconds, then every few minutes while it lasts. */
import { Effect } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import type { Wait } from "#src/features/provider-health/WaitingFor.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"

/** After a restart workers return within this time, ms; earlier absence is not logged. */
const patienceMs = 5_000

/** The time between two lines about one model, ms. */
const againMs = 5 * 60_000

/** Models with a line of their own at one time; a last line counts the others. */
const mostLines = 20

const nowThere = {
  worker: "A worker asks for jobs of the model again",
  provider_down: "A provider of the model can be connected to again",
  credentials: "A provider of the model has its credential"
} as const

const waitsFor = {
  worker: "Requests wait for a worker: none asks for jobs of the model",
  provider_down: "Requests wait for a provider that cannot be connected to",
  credentials: "Requests wait for a provider whose credential is not configured"
} as const

interface Stuck {
  readonly cause: Wait["cause"]
  readonly since: number
  /** When the last line was logged; `null` without one. */
  toldAt: number | null
}

export const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const steady = yield* SteadyTime
  const models = new Map<string, Stuck>()

  const tell = Effect.fnUntraced(function* (model: string, { cause, since }: Stuck, now: number) {
    const queued = yield* dueWork.depth(ModelEndpoint.make(model))
    yield* Effect.annotateLogs(Effect.logWarning(waitsFor[cause]), {
      model,
      queued,
      for_seconds: Math.round((now - since) / 1_000)
    })
  })

  const recovered = Effect.fnUntraced(function* (waits: ReadonlyMap<string, Wait>) {
    for (const [model, { cause, toldAt }] of models) {
      const current = waits.get(model)
      if (current?.cause === cause) continue
      models.delete(model)
      if (toldAt !== null && current === undefined)
        yield* Effect.annotateLogs(Effect.logWarning(nowThere[cause]), { model })
    }
  })

  /** @param waits by endpoint, the models that no provider can run now. */
  return Effect.fnUntraced(function* (waits: ReadonlyMap<string, Wait>) {
    yield* recovered(waits)
    if (waits.size === 0) return
    const now = yield* MonotonicTime.millis
    for (const [model, { cause }] of waits)
      if (!models.has(model)) models.set(model, { cause, since: now, toldAt: null })
    const late = [...models].filter(
      ([, { since, toldAt }]) => now - since >= patienceMs && now - (toldAt ?? -Infinity) >= againMs
    )
    if (late.length === 0) return
    const due = new Set<string>(yield* dueWork.dueModels(yield* steady.now))
    const told = late.filter(([model]) => due.has(model))
    for (const [, stuck] of told) stuck.toldAt = now
    for (const [model, stuck] of told.slice(0, mostLines)) yield* tell(model, stuck, now)
    const rest = told.length - mostLines
    if (rest > 0)
      yield* Effect.annotateLogs(Effect.logWarning("Requests of more models wait, and nothing runs them"), {
        models: rest
      })
  })
})
