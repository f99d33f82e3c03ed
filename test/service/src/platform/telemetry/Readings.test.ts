import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Metric, References } from "effect"
import { TestClock } from "effect/testing"
import type { Projection } from "#projections/Projection.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { MetricsPage } from "#src/platform/telemetry/MetricsPage.ts"
import * as MetricsPages from "#src/platform/telemetry/MetricsPage.ts"
import { ProjectionPace } from "#src/platform/health/ProjectionPace.ts"
import { Demand } from "#src/features/demand/Demand.ts"
import * as AllReadings from "#src/composition/metrics/AllReadings.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as BackupNote from "#src/features/backup/BackupNote.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, triple } from "#test/support/TestModels.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Exposition from "#test/support/src/platform/telemetry/Exposition.ts"

/** A projection that cannot apply its first request. */
const broken: Projection = {
  name: "broken",
  version: 1,
  tables: "CREATE TABLE broken_rows (id TEXT) STRICT",
  open: () => ({
    rules: [
      {
        type: "RequestSubmitted",
        apply: () => {
          throw new Error("not applicable")
        }
      }
    ]
  })
}

const registry = Layer.sync(Metric.MetricRegistry, () => new Map())

const node = (options: TestNode.NodeOptions) =>
  MetricsPages.layer.pipe(
    Layer.provide(AllReadings.layer),
    Layer.provide(Demand.layer),
    Layer.provideMerge(TempDirectory.provide(DataDirectory.layerAt)),
    Layer.provideMerge(ProjectionPace.layer),
    Layer.provideMerge(TestNode.layer({ models: [single, triple], ...options })),
    Layer.provideMerge(registry),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None"))
  )

const scrape = Effect.map(Effect.flatten(MetricsPage), Exposition.parse)

/** Scrapes until the metric has the value. */
const until = (name: string, labels: Readonly<Record<string, string>>, expected: number) =>
  Effect.repeat(scrape, { until: (found) => Exposition.valueOf(found, name, labels) === expected })

const ofModel = (families: ReadonlyMap<string, Exposition.Family>, model: string) =>
  Object.fromEntries(
    ["queue_depth", "queue_oldest_age_seconds", "model_demand", "dispatch_runs", "dispatch_runs_limit"].map(
      (name) => [name, Exposition.valueOf(families, `inferlog_${name}`, { model })]
    )
  )

describe("gauges", () => {
  it.effect("report how many requests wait and for how long, of every model that has had one", () =>
    Effect.gen(function* () {
      assert.isUndefined(ofModel(yield* scrape, "test/triple").queue_depth)
      yield* Facts.submit({ model: triple })
      yield* until("inferlog_queue_depth", { model: "test/triple" }, 1)
      const before = yield* scrape
      const unused = [...before.values()].flatMap(({ samples }) =>
        samples.filter(({ labels }) => labels["model"] === "test/single")
      )
      assert.deepStrictEqual(unused, [])
      yield* Facts.submit({ model: single })
      yield* TestClock.adjust("90 seconds")
      yield* Facts.submit({ model: single })
      const found = yield* until("inferlog_queue_depth", { model: "test/single" }, 2)
      assert.deepStrictEqual(ofModel(found, "test/single"), {
        queue_depth: 2,
        queue_oldest_age_seconds: 90,
        model_demand: 2,
        dispatch_runs: 0,
        dispatch_runs_limit: 1
      })
      assert.deepStrictEqual(ofModel(found, "test/triple"), {
        queue_depth: 1,
        queue_oldest_age_seconds: 90,
        model_demand: 1,
        dispatch_runs: 0,
        dispatch_runs_limit: 3
      })
    }).pipe(Effect.provide(node({ dispatches: false })))
  )

  it.live("report how many runs are in progress", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      yield* Facts.submit({ model: triple })
      const id = yield* Facts.submit({ model: triple })
      const runs = [yield* provider.next, yield* provider.next]
      yield* until("inferlog_queue_depth", { model: "test/triple" }, 0)
      assert.deepInclude(ofModel(yield* scrape, "test/triple"), { dispatch_runs: 2, dispatch_runs_limit: 3 })
      yield* until("inferlog_model_demand", { model: "test/triple" }, 2)
      yield* Effect.forEach(runs, (run) => run.ends(succeeded()), { discard: true })
      yield* Facts.untilEnd(id)
      yield* until("inferlog_dispatch_runs", { model: "test/triple" }, 0)
      yield* until("inferlog_model_demand", { model: "test/triple" }, 0)
    }).pipe(Effect.provide(node({})))
  )

  it.effect("report a stopped projection, and its lag in events and time", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(Facts.caller().accountId)
      const before = Number(yield* (yield* EventReader).head)
      yield* Facts.submit({ model: single })
      yield* until("inferlog_projection_stopped", { projection: "broken" }, 1)
      yield* TestClock.adjust("7 seconds")
      yield* Facts.submit({ model: single })
      const found = yield* until("inferlog_projection_lag_events", { projection: "duework" }, 0)
      const value = (name: string, projection: string) => Exposition.valueOf(found, name, { projection })
      assert.strictEqual(value("inferlog_projection_lag_seconds", "duework"), 0)
      assert.strictEqual(value("inferlog_projection_stopped", "duework"), 0)
      assert.strictEqual(value("inferlog_projection_lag_events", "broken"), 2)
      assert.strictEqual(value("inferlog_projection_lag_seconds", "broken"), 7)
      assert.strictEqual(Exposition.valueOf(found, "inferlog_log_head_position"), before + 2)
    }).pipe(Effect.provide(node({ dispatches: false, projections: [DueWorkProjection.projection, broken] })))
  )

  it.effect("report how much of the log is not backed up, once there is a backup", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(Facts.caller().accountId)
      assert.isUndefined(Exposition.valueOf(yield* scrape, "inferlog_backup_lag_seconds"))
      const head = yield* (yield* EventReader).head
      yield* BackupNote.write(yield* DataDirectory, head)
      yield* TestClock.adjust("7 seconds")
      const current = yield* scrape
      assert.strictEqual(Exposition.valueOf(current, "inferlog_backup_lag_seconds"), 0)
      assert.strictEqual(Exposition.valueOf(current, "inferlog_backup_position"), Number(head))
      yield* Facts.submit({ model: single })
      yield* TestClock.adjust("5 seconds")
      yield* Facts.submit({ model: single })
      assert.strictEqual(Exposition.valueOf(yield* scrape, "inferlog_backup_lag_seconds"), 5)
    }).pipe(Effect.provide(node({ dispatches: false })))
  )

  it.effect("continue when one of them fails", () =>
    Effect.gen(function* () {
      const page = yield* MetricsPage
      const exit = yield* Effect.exit(page)
      assert.isTrue(Exit.isSuccess(exit))
      const found = Exposition.parse(yield* page)
      assert.isUndefined(Exposition.valueOf(found, "inferlog_queue_depth", { model: "test/single" }))
      assert.isDefined(Exposition.valueOf(found, "inferlog_log_head_position"))
    }).pipe(Effect.provide(node({ dispatches: false, projections: [] })))
  )
})
