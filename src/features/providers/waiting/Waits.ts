/** Finds once a second the models that no provider can run now. Readers use a map, which is usually empty. */
import { Effect, Layer, Schedule } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WorkerPool } from "../pull/WorkerPool.ts"
import { providerDown, type Wait, WaitingFor, worker } from "#src/features/provider-health/WaitingFor.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

/** After a restart workers return within this time, ms; earlier absence is not logged. */
const patienceMs = 5_000

const makeMissedWorkers = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const steady = yield* SteadyTime
  /** Since when the model has no worker, and whether that was logged. */
  const missed = new Map<string, { readonly since: number; isTold: boolean }>()

  const tell = (message: string, model: string) => Effect.annotateLogs(Effect.logWarning(message), { model })

  /** @param unserved endpoints of models without a worker. */
  return Effect.fnUntraced(function* (unserved: ReadonlyArray<string>) {
    const current = new Set(unserved)
    for (const [model, { isTold }] of missed) {
      if (current.has(model)) continue
      missed.delete(model)
      if (isTold) yield* tell("A worker asks for jobs of the model again", model)
    }
    if (unserved.length === 0) return
    const now = yield* MonotonicTime.millis
    for (const model of unserved) if (!missed.has(model)) missed.set(model, { since: now, isTold: false })
    const late = [...missed].filter(([, { isTold, since }]) => !isTold && now - since >= patienceMs)
    if (late.length === 0) return
    const due = new Set<string>(yield* dueWork.dueModels(yield* steady.now))
    for (const [model, one] of late) {
      if (!due.has(model)) continue
      one.isTold = true
      yield* tell("Requests wait for a worker: none asks for jobs of the model", model)
    }
  })
})

/** A job due for longer was left by the workers of all nodes, unless all are busy, ms. */
const takenWithinMs = 10_000

/** With more runs than this under way, one of them may be of any model. */
const mostClaims = 10_000

export const makeElsewhereServed = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const nodes = yield* Nodes
  const steady = yield* SteadyTime

  /** Whether another node may serve a model without workers here. */
  return Effect.gen(function* () {
    if (nodes.live().length === 1) return () => false
    const claims = yield* dueWork.claims({ after: null, limit: mostClaims })
    const claimed = new Set<string>(claims.map(({ model }) => model))
    const left = new Set<string>(yield* dueWork.dueModels((yield* steady.now) - takenWithinMs))
    return (endpoint: string) => claims.length === mostClaims || claimed.has(endpoint) || !left.has(endpoint)
  })
})

const interval = "1 second"

const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const elsewhere = yield* makeElsewhereServed
  const health = yield* ProviderHealth
  const tellMissed = yield* makeMissedWorkers
  const pool = yield* WorkerPool
  let waits: ReadonlyMap<string, Wait> = new Map()

  /** The wait at the first provider, where the model usually runs. */
  const waitOf = ({ model, runs }: CatalogEntry): Wait | null => {
    let first: Wait | null = null
    for (const binding of model.providers) {
      const fault = health.unreachable(binding)
      if (fault !== null) first ??= providerDown(fault)
      else if (binding.adapter === "pull" && !pool.isServed(runs)) first ??= worker
      else return null
    }
    return first
  }

  const look = Effect.gen(function* () {
    const found = new Map<string, Wait>()
    for (const entry of yield* catalog.all) {
      const wait = waitOf(entry)
      if (wait !== null) found.set(entry.model.endpoint, wait)
    }
    const unserved = [...found].filter(([, wait]) => wait === worker).map(([endpoint]) => endpoint)
    if (unserved.length > 0) {
      const isServedElsewhere = yield* elsewhere
      for (const endpoint of unserved) if (isServedElsewhere(endpoint)) found.delete(endpoint)
    }
    waits = found
    yield* tellMissed(unserved.filter((endpoint) => found.has(endpoint)))
  })

  const tell = RateLimitedLog.make()
  const looking = Effect.catchCause(look, (cause) =>
    tell(Effect.logWarning("The causes of waiting requests cannot be read", cause))
  )
  yield* Effect.forkScoped(Effect.repeat(looking, Schedule.spaced(interval)))
  return (endpoint: string) => waits.get(endpoint) ?? null
})

export const layer = Layer.effect(WaitingFor, make)
