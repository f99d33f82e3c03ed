import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Status from "#domain/inference-request/Status.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const patient = testModel("test/patient", { timeoutSeconds: 100_000 })
const layer = TestNode.layer({ models: [patient] })

const begin = Effect.gen(function* () {
  const id = yield* Facts.submit({ model: patient })
  const run = yield* (yield* TestProvider).next
  return { id, run }
})

/** The types of the events of each append to the log, in order. */
const countAppends = Effect.gen(function* () {
  const faults = yield* AppendFaults.AppendFaults
  const appends: Array<ReadonlyArray<string>> = []
  faults.decide(({ events }) => {
    appends.push(events.map(({ type }) => type))
    return "stored"
  })
  return appends
})

describe("What a run reports", () => {
  it.effect("leaves three appends of a run that ends soon after its start", () =>
    Effect.gen(function* () {
      const appends = yield* countAppends
      const { id, run } = yield* begin
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("19 millis")
      yield* run.ends(succeeded())
      yield* Facts.untilEnd(id)
      assert.deepStrictEqual(appends, [
        ["RequestSubmitted"],
        ["DispatchStarted"],
        ["RequestStarted", "OutputReceived", "RequestCompleted"]
      ])
      const started = Facts.ofType(yield* Facts.events(id), "RequestStarted")
      assert.deepStrictEqual(
        started.map(({ at }) => at),
        [0]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows a slow run as in progress while it runs", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begin
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("20 millis")
      yield* Facts.untilType(id, "RequestStarted")
      const { request } = yield* Facts.snapshot(id)
      assert.strictEqual(Status.status(request), "IN_PROGRESS")
      yield* run.ends(succeeded())
      assert.deepStrictEqual(
        (yield* Facts.untilEnd(id)).map(({ _tag }) => _tag),
        ["RequestSubmitted", "DispatchStarted", "RequestStarted", "OutputReceived", "RequestCompleted"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows the start even when the provider's fiber that reported it has ended", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begin
      yield* run.does(({ started }) => Effect.all([started, Effect.void], { concurrency: 2 }))
      yield* TestClock.adjust("20 millis")
      yield* Facts.untilType(id, "RequestStarted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("records the start before the first progress, and all lines when the run ends", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begin
      yield* run.does(({ progress }) => progress({ fraction: 0.5, logs: ["one"] }))
      yield* run.does(({ progress }) => progress({ fraction: null, logs: ["two"] }))
      yield* run.ends(succeeded())
      const all = yield* Facts.untilEnd(id)
      assert.deepStrictEqual(
        all.slice(2).map(({ _tag }) => _tag),
        ["RequestStarted", "ProgressReported", "OutputReceived", "RequestCompleted"]
      )
      const [report] = Facts.ofType(all, "ProgressReported")
      assert.deepStrictEqual([report?.fraction, report?.logs], [0.5, ["one", "two"]])
    }).pipe(Effect.provide(layer))
  )

  it.effect("records what is noted without a fiber, in turn with the rest", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begin
      const note = (fraction: number, line: string) =>
        run.does((control) => Effect.sync(() => control.note({ fraction, logs: [line] })))
      yield* note(0.1, "one")
      yield* TestClock.adjust("1 second")
      yield* note(0.2, "two")
      yield* Facts.untilType(id, "ProgressReported")
      yield* note(0.3, "three")
      yield* run.ends(succeeded())
      const reports = Facts.ofType(yield* Facts.untilEnd(id), "ProgressReported")
      assert.deepStrictEqual(
        reports.map(({ fraction, logs }) => [fraction, logs]),
        [
          [0.2, ["one", "two"]],
          [0.3, ["three"]]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("records the start with the outcome when it could not be recorded earlier", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const { id, run } = yield* begin
      faults.fail("RequestStarted", 1)
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("20 millis")
      yield* run.ends(succeeded())
      const all = yield* Facts.untilEnd(id)
      assert.deepStrictEqual(
        Facts.ofType(all, "RequestStarted").map(({ at }) => at),
        [0]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves about 260 events for an hour of one report a second, with every line", () =>
    Effect.gen(function* () {
      const seconds = 3_600
      const reader = yield* EventReader
      const { id, run } = yield* begin
      for (let second = 1; second <= seconds; second++) {
        yield* TestClock.adjust("1 second")
        yield* run.does(({ progress }) =>
          progress({ fraction: second / seconds, logs: [`second ${second}`] })
        )
      }
      yield* run.ends(succeeded())
      const all = yield* Facts.untilEnd(id)
      const lines = Facts.ofType(all, "ProgressReported").flatMap(({ logs }) => logs)
      assert.deepStrictEqual(
        lines,
        Array.from({ length: seconds }, (_, index) => `second ${index + 1}`)
      )
      const log = yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
      assert.isAbove(log.length, 200)
      assert.isBelow(log.length, 300)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps the newest lines between two records, each cut at 1,000 characters, 64 Ki in all", () =>
    Effect.gen(function* () {
      const { id, run } = yield* begin
      const logs = Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(2_000, "."))
      yield* run.does(({ progress }) => progress({ fraction: null, logs }))
      yield* run.ends(succeeded())
      const [report] = Facts.ofType(yield* Facts.untilEnd(id), "ProgressReported")
      assert.deepStrictEqual(
        report?.logs,
        logs.slice(-65).map((line) => line.slice(0, 1_000))
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 7])(
    "clamps the fraction %d to the valid range",
    (fraction) =>
      Effect.gen(function* () {
        const { id, run } = yield* begin
        yield* run.does(({ progress }) => progress({ fraction, logs: ["line"] }))
        yield* run.ends(succeeded())
        const all = yield* Facts.untilEnd(id)
        assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
        const [report] = Facts.ofType(all, "ProgressReported")
        assert.isTrue(report?.fraction === null || (report !== undefined && isFraction(report.fraction)))
      }).pipe(Effect.provide(layer))
  )

  it.effect("records the job's name before the provider continues, however long the log is unavailable", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const { id, run } = yield* begin
      let tries = 0
      faults.decide(({ events }) =>
        events.some(({ type }) => type === "ProviderAccepted") && ++tries <= 3 ? "refused" : "stored"
      )
      const told = yield* Effect.forkChild(run.does(({ accepted }) => accepted("job")))
      yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => told.pollUnsafe() !== undefined })
      assert.strictEqual(tries, 4)
      assert.strictEqual(Facts.ofType(yield* Facts.events(id), "ProviderAccepted")[0]?.jobId, "job")
    }).pipe(Effect.provide(layer))
  )

  it.effect("never fails the run: reports that cannot be recorded are dropped", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      const { id, run } = yield* begin
      faults.decide(({ events }) =>
        events.some(({ type }) => type === "ProgressReported") ? "refused" : "stored"
      )
      yield* TestClock.adjust("2 seconds")
      yield* run.does(({ progress }) => progress({ fraction: 1, logs: ["lost"] }))
      yield* run.ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
    }).pipe(Effect.provide(layer))
  )
})

const isFraction = (value: number) => value >= 0 && value <= 1
