/** Finds once a second the models that no provider can run now. Readers use a map, which is usually empty. */
import { Effect, Layer, Option, Predicate, Schedule, Schema } from "effect"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { HasCredential } from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WorkerPool } from "../pull/WorkerPool.ts"
import {
  credentials,
  providerDown,
  type Wait,
  WaitingFor,
  worker
} from "#src/features/provider-health/WaitingFor.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { NodeReports } from "#src/platform/cluster/NodeReports.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as StuckQueues from "./StuckQueues.ts"

/** A job due for longer was left by the workers of all nodes, unless all are busy, ms. */
const takenWithinMs = 10_000

/** With more runs than this under way, one of them may be of any model. */
const mostClaims = 10_000

/** The part of a node's report with the models that have a provider, but none that this node could run now. */
const part = "stuck"

/** With more of them a node does not report which. */
const mostReported = 500

const endpoints = Schema.decodeUnknownOption(Schema.Array(Schema.String))

export const makeElsewhereServed = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const nodes = yield* Nodes
  const reports = yield* NodeReports
  const steady = yield* SteadyTime

  /** Whether another node may serve a model without workers here. */
  return Effect.gen(function* () {
    const live = nodes.live()
    if (live.length === 1) return () => false
    const others = reports.heard().filter(({ isLive, isSelf }) => isLive && !isSelf)
    const stuck = others
      .map(({ parts }) => Option.getOrNull(endpoints(parts[part])))
      .filter(Predicate.isNotNull)
    // A node of another release, or with very many such models, does not say.
    if (stuck.length === live.length - 1)
      return (endpoint: string) => stuck.some((listed) => !listed.includes(endpoint))
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
  const hasCredential = yield* HasCredential
  const tellStuck = yield* StuckQueues.make
  const pool = yield* WorkerPool
  let waits: ReadonlyMap<string, Wait> = new Map()
  /** Before a look at the other nodes; `null` before the first look. */
  let stuckHere: ReadonlyArray<string> | null = null
  yield* (yield* NodeReports).contribute(part, () =>
    stuckHere === null || stuckHere.length > mostReported ? null : stuckHere
  )

  /** The wait at the first provider, where the model usually runs. */
  const waitOf = ({ model, runs }: CatalogEntry): Wait | null => {
    let first: Wait | null = null
    for (const binding of model.providers) {
      const fault = health.unreachable(binding)
      if (fault !== null) first ??= providerDown(fault)
      else if (binding.adapter === "pull" && !pool.isServed(runs)) first ??= worker
      else if (!hasCredential(binding)) first ??= credentials
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
    // Whether a provider can be reached is for each node to find out.
    const unserved = [...found].flatMap(([endpoint, { cause }]) =>
      cause === "provider_down" ? [] : [endpoint]
    )
    stuckHere = [...found.keys()]
    if (unserved.length > 0) {
      const isServedElsewhere = yield* elsewhere
      for (const endpoint of unserved) if (isServedElsewhere(endpoint)) found.delete(endpoint)
    }
    waits = found
    yield* tellStuck(found)
  })

  const tell = RateLimitedLog.make()
  const looking = Effect.catchCause(look, (cause) =>
    tell(Effect.logWarning("The causes of waiting requests cannot be read", cause))
  )
  yield* Effect.forkScoped(Effect.repeat(looking, Schedule.spaced(interval)))
  return (endpoint: string) => waits.get(endpoint) ?? null
})

export const layer = Layer.effect(WaitingFor, make)
