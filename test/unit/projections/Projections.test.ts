import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { History } from "#projections/history/History.ts"
import { Projections } from "#projections/Projections.ts"
import * as EarlyThread from "#projections/worker/EarlyThread.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as ShortSleeps from "#test/support/ShortSleeps.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const files = (directory: string) => ({
  log: { _tag: "Sqlite", filename: LogFiles.files(directory).log } as const,
  filename: `${directory}/projections.sqlite`
})

const withWorker = (directory: string, entry?: URL) =>
  History.layer.pipe(
    Layer.provideMerge(ReadModels.layer),
    Layer.provideMerge(Projections.layer({ ...files(directory), ...(entry === undefined ? {} : { entry }) })),
    Layer.provideMerge(SqliteEventStore.layer(directory))
  )

const total = Effect.flatMap(History, (history) =>
  Effect.map(history.list({ accountId: Log.alice, page: 1, after: null, limit: 1 }), (page) => page.total)
)

describe("Projections in process", () => {
  it.effect("fails a reader after two seconds, and continues", () =>
    Effect.gen(function* () {
      const projections = yield* Projections
      const future = GlobalPosition.GlobalPosition.make("1000000")
      const waiting = yield* Effect.forkChild(projections.waitFor(future, { projection: "history" }))
      yield* TestClock.adjust("1999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isFalse(yield* Fiber.join(waiting))
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.effect("answers at once for a reached position and for a missing projection", () =>
    Effect.gen(function* () {
      const projections = yield* Projections
      const { beginning } = GlobalPosition
      assert.isTrue(yield* projections.waitFor(beginning, { projection: "history" }))
      assert.isFalse(yield* projections.waitFor(beginning, { projection: "unknown" }))
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("notifies a reactor each time a projection has moved", () =>
    Effect.gen(function* () {
      const projections = yield* Projections
      const appended = yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
      const seen = yield* projections.changes("duework").pipe(
        Stream.takeUntil((position) => GlobalPosition.isReached(appended, position)),
        Stream.runCollect
      )
      assert.strictEqual(seen.at(-1), appended)
    }).pipe(Effect.provide(ReadSide.layer))
  )
})

/** A thread that ended is replaced soon. */
const soon = ShortSleeps.layer("100 millis")

const begun = {
  "": Effect.void,
  ", in a thread that was begun early": Effect.sync(EarlyThread.begin),
  ", in another thread when the one that was begun early has ended": Effect.promise(() =>
    EarlyThread.begin().terminate()
  )
}

describe("Projections in a thread", () => {
  for (const [how, begin] of Object.entries(begun))
    it.live(`shows events of the SQLite log, including those from before its start${how}`, () =>
      Effect.gen(function* () {
        yield* begin
        const directory = yield* TempDirectory.make
        yield* Log.append(1, Log.submitted(Log.alice, Log.echo)).pipe(
          Effect.provide(SqliteEventStore.layer(directory))
        )
        yield* Effect.gen(function* () {
          for (const number of [2, 3, 4]) {
            yield* Log.append(number, Log.submitted(Log.alice, Log.echo))
            yield* ReadSide.settle("history")
            assert.strictEqual(yield* total, number)
          }
        }).pipe(Effect.provide(withWorker(directory)))
      }).pipe(Effect.scoped)
    )

  it("takes the thread that was begun early once, and for its own program only", async () => {
    const others = [EarlyThread.begin()]
    const entry = new URL("../../support/projections/DeafWorker.ts", import.meta.url)
    const data = files("/nowhere")
    others.push(EarlyThread.take(entry, data))
    const early = EarlyThread.begin()
    assert.strictEqual(EarlyThread.take(EarlyThread.entry, data), early)
    others.push(EarlyThread.take(EarlyThread.entry, data))
    assert.strictEqual(new Set([early, ...others]).size, 4)
    await Promise.all([early, ...others].map((worker) => worker.terminate()))
  })

  it.live("is restarted when its thread ends, and waiting readers get their answer", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const entry = new URL("../../support/projections/CrashingWorker.ts", import.meta.url)
      yield* Effect.gen(function* () {
        yield* Log.append(1, Log.submitted(Log.alice, Log.echo))
        yield* ReadSide.settle("history")
        const mark = `${files(directory).filename}.crash`
        fs.writeFileSync(mark, "")
        let last = 1
        // An event that the thread read before the wake-up does not end the wait; the next one does.
        while (fs.existsSync(mark)) {
          yield* Log.append(++last, Log.submitted(Log.alice, Log.echo))
          yield* ReadSide.settle("history")
        }
        yield* Log.append(++last, Log.submitted(Log.alice, Log.echo))
        yield* ReadSide.settle("history")
        assert.strictEqual(yield* total, last)
      }).pipe(Effect.provide(withWorker(directory, entry)), Effect.provide(soon))
    }).pipe(Effect.scoped)
  )

  it.live("is requested to end, so that it closes its files", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const entry = new URL("../../support/projections/LeavingWorker.ts", import.meta.url)
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo)).pipe(
        Effect.andThen(ReadSide.settle("history")),
        Effect.provide(withWorker(directory, entry))
      )
      const { filename } = files(directory)
      assert.strictEqual(fs.readFileSync(`${filename}.left`, "utf8"), "exit code 0, journal removed: true")
    }).pipe(Effect.scoped)
  )

  it.live("is terminated if it does not answer", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const entry = new URL("../../support/projections/DeafWorker.ts", import.meta.url)
      const { filename } = files(directory)
      yield* Log.append(1, Log.submitted(Log.alice, Log.echo)).pipe(
        Effect.andThen(ReadSide.settle("history")),
        Effect.provide(withWorker(directory, entry)),
        Effect.provide(ShortSleeps.layer("1 second"))
      )
      assert.isTrue(fs.existsSync(filename))
      assert.isFalse(fs.existsSync(`${filename}.left`))
    }).pipe(Effect.scoped)
  )

  it.live("fails at the start, with the reason, if its file cannot be created", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const { log } = files(directory)
      const nowhere = Projections.layer({ log, filename: `${directory}/missing/projections.sqlite` })
      const error = yield* Effect.flip(
        Layer.build(nowhere.pipe(Layer.provideMerge(SqliteEventStore.layer(directory))))
      )
      assert.strictEqual(error._tag, "WorkerStopped")
      assert.include(error.message, "unable to open database file")
    }).pipe(Effect.scoped)
  )
})
