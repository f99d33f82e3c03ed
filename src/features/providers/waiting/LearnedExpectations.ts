/** Learns run times from the last week and waits from the queue, every few seconds: requests only read a map. */
import { Array, Clock, Effect, Layer, Schedule } from "effect"
import * as QueueAge from "#projections/due-work/QueueAge.ts"
import { Durations, type Grouped, type DurationStats } from "#projections/durations/Durations.ts"
import * as Histogram from "#projections/durations/Histogram.ts"
import { Catalog, type CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WaitingFor } from "#src/features/provider-health/WaitingFor.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { type Expectation, Expectations } from "#src/features/catalog/Expectations.ts"

const dayMs = 24 * 60 * 60 * 1_000
/** Including today. */
const days = 7
/** The fewest runs that allow a conclusion. */
const fewest = 5

/** The expectation from too few runs. */
const nothing = { p50Seconds: null, p90Seconds: null, samples: 0 }

const interval = "5 seconds"
/** Durations change slowly, so they are refreshed once in so many refreshes of the queues. */
const readingsOfQueues = 4

/** Models read before other work gets a turn. */
const readAtOnce = 100

/** A job due for less time is being dispatched and is no sign of a queue, ms. */
const dispatchMs = 1_000

export interface Waiting {
  readonly queued: number
  /** How long the oldest due request has waited, ms; 0 without one. */
  readonly oldestMs: number
}

/**
 * The time for the queue at the usual pace, but at least the wait of its oldest request, so that a stalled queue shows.
 * 0 if a run begins at once. No run begins while the providers are blocked (`blockedMs`).
 */
export const waitSeconds = (
  { oldestMs, queued }: Waiting,
  pace: { readonly p50Seconds: number; readonly runs: number; readonly blockedMs: number }
): number => {
  const usual = ((queued + 1) * pace.p50Seconds) / pace.runs
  const inQueue = oldestMs < dispatchMs ? 0 : Math.max(usual, oldestMs / 1_000)
  return inQueue + pace.blockedMs / 1_000
}

/** The most runs of a model at the same time: what all of its providers allow together. */
const runsOf = ({ model }: CatalogEntry): number =>
  Math.min(
    model.concurrency,
    model.providers.reduce((sum, { concurrency = Infinity }) => sum + concurrency, 0)
  )

const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const durations = yield* Durations
  const health = yield* ProviderHealth
  const queues = yield* QueueAge.make
  const waitingFor = yield* WaitingFor
  /** By the model that runs. */
  let learned: ReadonlyMap<string, DurationStats> = new Map()
  let expectations: ReadonlyMap<string, Expectation> = new Map()
  let readings = 0

  const learn = Effect.fnUntraced(function* (groups: ReadonlyMap<string, ReadonlyArray<CatalogEntry>>) {
    if (readings++ % readingsOfQueues !== 0) return
    const from = (yield* Clock.currentTimeMillis) - (days - 1) * dayMs
    const next = new Map<string, DurationStats>()
    for (const some of Array.chunksOf([...groups], readAtOnce)) {
      const models = some.flatMap(([runs, entries]) =>
        entries.map(({ model }): Grouped => [runs, model.endpoint])
      )
      for (const one of yield* durations.since(from, models)) next.set(one.group, one)
      yield* Effect.yieldNow
    }
    learned = next
  })

  const waiting = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    return new Map(
      (yield* queues(now)).map(({ model, oldestDueAt, queued }): readonly [string, Waiting] => [
        model,
        { queued, oldestMs: oldestDueAt === null ? 0 : Math.max(now - oldestDueAt, 0) }
      ])
    )
  })

  const blockedMs = ({ model }: CatalogEntry) =>
    Math.min(...model.providers.map((binding) => health.admitsIn(binding) ?? 0))

  const durationsOf = ({ runs }: CatalogEntry) => {
    const known = learned.get(runs)
    if (known === undefined || known.runs < fewest) return nothing
    return {
      p50Seconds: Histogram.upperBound(known.median) / 1_000,
      p90Seconds: Histogram.upperBound(known.p90) / 1_000,
      samples: known.runs
    }
  }

  /** Models that have never run have queues, too. Counted by the model that runs, under all endpoints. */
  const expectationOf = (
    entries: ReadonlyArray<CatalogEntry>,
    queued: ReadonlyMap<string, Waiting>
  ): Expectation | null => {
    const [entry] = entries
    if (entry === undefined) return null
    const durations = durationsOf(entry)
    const queuesOf = entries.flatMap(({ model }) => queued.get(model.endpoint) ?? [])
    const isStuck = waitingFor(entry.model.endpoint) !== null
    const usual = waitSeconds(
      {
        queued: queuesOf.reduce((sum, { queued }) => sum + queued, 0),
        oldestMs: Math.max(0, ...queuesOf.map(({ oldestMs }) => oldestMs))
      },
      {
        p50Seconds: durations.p50Seconds ?? entry.model.expectedSeconds,
        runs: runsOf(entry),
        blockedMs: blockedMs(entry)
      }
    )
    if (durations === nothing && usual === 0 && !isStuck) return null
    return { ...durations, waitSeconds: isStuck ? null : usual }
  }

  const read = Effect.gen(function* () {
    const groups = Map.groupBy(yield* catalog.all, ({ runs }): string => runs)
    yield* learn(groups)
    const queued = yield* waiting
    const next = new Map<string, Expectation>()
    for (const entries of groups.values()) {
      const expectation = expectationOf(entries, queued)
      if (expectation !== null) for (const { model } of entries) next.set(model.endpoint, expectation)
    }
    expectations = next
  })

  const tell = RateLimitedLog.make()
  const reading = Effect.catchCause(read, (cause) =>
    tell(Effect.logWarning("The run times of models cannot be read", cause))
  )
  yield* Effect.forkScoped(Effect.repeat(reading, Schedule.spaced(interval)))
  return Expectations.of({ of: (endpoint) => expectations.get(endpoint) ?? null })
})

const layerNoDeps = Layer.effect(Expectations, make)

export const layer = layerNoDeps.pipe(Layer.provide(Durations.layer))
