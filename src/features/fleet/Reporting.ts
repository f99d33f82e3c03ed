/** What this node reports for operators: its state and runs, its workers, and its providers. Obeys the signals of other nodes. */
import { Effect, Layer, Schedule, Stream } from "effect"
import { Projections } from "#projections/Projections.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { Runs } from "#src/features/dispatch/Runs.ts"
import * as Share from "#src/features/dispatch/Share.ts"
import { HasCredential } from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { WorkerPool } from "#src/features/providers/pull/WorkerPool.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { version } from "#src/kernel/program/ReleaseVersion.ts"
import { listenAddress } from "#src/kernel/settings/ListenAddress.ts"
import { fitting, NodeReports } from "#src/platform/cluster/NodeReports.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import { Health, type Unwell } from "#src/platform/health/Health.ts"
import { Lifecycle } from "#src/platform/telemetry/Lifecycle.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as os from "node:os"
import * as KnownEntries from "./KnownEntries.ts"
import * as Reported from "./Reported.ts"
import * as Signals from "./Signals.ts"

/** Bytes of JSON for each list. */
const most = { models: 12_000, workers: 40_000, providers: 30_000 }

/** The most models of a worker that are named. */
const mostModels = 10

const interval = "2 seconds"

/** Providers of the catalog that had no runs here are reported if they have no credential. */
const untried = (
  binding: ProviderBinding
): Omit<typeof Reported.Provider.Type, "hasCredential" | "runs"> => ({
  name: binding.name,
  circuit: "Closed",
  heldSince: null,
  failures: 0,
  nextTryAt: null,
  pausedUntil: null,
  unreachable: null,
  lastError: null
})

const make = Effect.gen(function* () {
  const hasCredential = yield* HasCredential
  const health = yield* Health
  const knownEntries = yield* KnownEntries.make
  const lifecycle = yield* Lifecycle
  const nodes = yield* Nodes
  const pool = yield* WorkerPool
  const projections = yield* Projections
  const providers = yield* ProviderHealth
  const reader = yield* EventReader
  const reports = yield* NodeReports
  const runs = yield* Runs
  const { host, port } = yield* listenAddress
  const address = `${host === "0.0.0.0" || host === "::" ? os.hostname() : host}:${port}`

  let reasons: ReadonlyArray<Unwell> = []
  let lags: ReadonlyArray<typeof Reported.ProjectionLag.Type> = []
  let entries: ReadonlyArray<CatalogEntry> = []

  const look = Effect.gen(function* () {
    reasons = yield* health.reasons
    const { offered, withdrawn } = yield* knownEntries
    entries = [...offered, ...withdrawn]
    const head = yield* reader.head
    const sequence = GlobalPosition.sequence(head)
    lags = [...(yield* projections.states)].map(([name, { position }]) => ({
      name,
      behind: GlobalPosition.isReached(head, position) ? 0 : sequence - GlobalPosition.sequence(position)
    }))
  })

  const modelRuns = function* () {
    for (const { model, runs: base } of entries) {
      const count = model.endpoint === base ? runs.count(base) : 0
      if (count === 0) continue
      const share = Share.of(base, model.concurrency, nodes.self, nodes.live())
      yield { model: base, runs: count, share: share.runs }
    }
  }

  const node = (): typeof Reported.Node.Type => ({
    release: version,
    address,
    isServing: lifecycle.isServing(),
    reasons: reasons.map(({ code }) => code),
    since: reasons.map(({ since }) => since),
    runs: runs.total(),
    models: fitting(modelRuns(), most.models),
    projections: lags
  })

  const workers = (): typeof Reported.Workers.Type => {
    const all = pool.roster.all()
    const shown = all.map((worker) => ({
      ...worker,
      models: worker.models === null ? null : worker.models.slice(0, mostModels)
    }))
    return { total: all.length, list: fitting(shown, most.workers) }
  }

  const bindings = () => {
    const found = new Map<string, ProviderBinding>()
    for (const { model } of entries) for (const one of model.providers) found.set(one.name, one)
    return found
  }

  const knownProviders = function* () {
    const known = bindings()
    const hasNone = (name: string) => {
      const binding = known.get(name)
      return binding !== undefined && !hasCredential(binding)
    }
    const tried = providers.details()
    for (const one of tried) yield { ...one, runs: runs.countOf(one.name), hasCredential: !hasNone(one.name) }
    const names = new Set(tried.map(({ name }) => name))
    for (const [name, binding] of known)
      if (!names.has(name) && hasNone(name)) yield { ...untried(binding), runs: 0, hasCredential: false }
  }

  yield* Effect.ignore(look)
  yield* Effect.forkScoped(Effect.repeat(Effect.ignoreCause(look), Schedule.spaced(interval)))
  yield* reports.contribute(Reported.names.node, node)
  yield* reports.contribute(Reported.names.workers, workers)
  yield* reports.contribute(Reported.names.providers, () => fitting(knownProviders(), most.providers))

  const obey = Stream.runForEach(reports.signals, (text) =>
    Effect.sync(() => {
      const name = Signals.resetOf(text)
      if (name !== null) providers.reset(name)
    })
  )
  yield* Effect.forkScoped(supervise("The reader of other nodes' signals", obey))
})

export const layer = Layer.effectDiscard(make)
