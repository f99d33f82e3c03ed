/** Finds once a second the models that no provider can run now. Readers use a map, which is usually empty. */
import { Effect, Layer, Schedule } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WorkerPool } from "../pull/WorkerPool.ts"
import * as ElsewhereServed from "./ElsewhereServed.ts"
import * as MissedWorkers from "./MissedWorkers.ts"
import { providerDown, type Wait, WaitingFor, worker } from "#src/features/provider-health/WaitingFor.ts"

const interval = "1 second"

const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const elsewhere = yield* ElsewhereServed.make
  const health = yield* ProviderHealth
  const tellMissed = yield* MissedWorkers.make
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
    tell(Effect.logWarning("What requests wait for cannot be read", cause))
  )
  yield* Effect.forkScoped(Effect.repeat(looking, Schedule.spaced(interval)))
  return (endpoint: string) => waits.get(endpoint) ?? null
})

export const layer = Layer.effect(WaitingFor, make)
