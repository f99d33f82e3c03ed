import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { RequestCompleted, RequestSubmitted } from "#domain/inference-request/Event.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { text } from "#projections/EventFields.ts"
import { on, onType, type Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { dump, runOnce, settle } from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as Until from "#test/support/Until.ts"

/** Counts submissions and passes the stream of every applied event to `seen`. */
const counting = (name: string, version = 1, seen: Array<string> = []): Projection => ({
  name,
  version,
  tables: `CREATE TABLE ${name}_rows (position TEXT PRIMARY KEY, model TEXT NOT NULL) STRICT`,
  open: (db) => {
    const insert = db.prepare(`INSERT INTO ${name}_rows VALUES (?, ?)`)
    return {
      rules: [
        on(RequestSubmitted, (data, { position, stream }) => {
          seen.push(stream)
          insert.run(position, text(data, "model"))
        })
      ]
    }
  }
})

/** Throws at the completion of any request, after writing a row. */
const poisoned: Projection = {
  name: "poisoned",
  version: 1,
  tables: "CREATE TABLE poisoned_rows (position TEXT PRIMARY KEY, type TEXT NOT NULL) STRICT",
  open: (db) => {
    const insert = db.prepare("INSERT INTO poisoned_rows VALUES (?, ?)")
    return {
      rules: [
        onType(RequestSubmitted, ({ position, type }) => {
          insert.run(position, type)
        }),
        onType(RequestCompleted, ({ position, type }) => {
          insert.run(position, type)
          throw new Error("poison")
        })
      ]
    }
  }
}

const rowsOf = (filename: string, name: string) => dump(filename)[`${name}_rows`] ?? []

const submitMany = (from: number, to: number) =>
  Effect.forEach(
    Array.from({ length: to - from }, (_, index) => from + index),
    (number) => Log.append(number, Log.submitted(number % 2 === 0 ? Log.alice : Log.bob, Log.echo)),
    { discard: true }
  )

const inDirectory = <A, E>(
  body: (filename: string) => Effect.Effect<A, E, MemoryServices>
): Effect.Effect<A, E> =>
  Effect.flatMap(TempDirectory.make, (directory) => body(`${directory}/projections.sqlite`)).pipe(
    Effect.scoped,
    Effect.provide(MemoryEventStore.layer)
  )
type MemoryServices = Layer.Success<typeof MemoryEventStore.layer>

describe("Runner", () => {
  it.live("writes the same rows when the file is deleted and rebuilt", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        yield* submitMany(0, 1_200)
        yield* Log.append(3, Log.dispatched(1), Log.started(1), Log.completed(1))
        yield* Log.append(4, Log.dispatched(1), Log.requeued(1, Log.t0 + 500))
        yield* runOnce(filename, allProjections)
        yield* Log.append(5, Log.dispatched(1), Log.started(1))
        yield* runOnce(filename, allProjections)
        const before = dump(filename)
        assert.lengthOf(before["history_requests"] ?? [], 1_200)
        for (const suffix of ["", "-wal", "-shm"]) fs.rmSync(filename + suffix, { force: true })
        yield* runOnce(filename, allProjections)
        assert.deepStrictEqual(dump(filename), before)
      })
    )
  )

  it.live("continues from its checkpoint: each event is applied once over many runs", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        const seen: Array<string> = []
        for (const from of [0, 100, 200]) {
          yield* submitMany(from, from + 100)
          yield* runOnce(filename, [counting("counted", 1, seen)])
        }
        assert.lengthOf(seen, 300)
        assert.strictEqual(new Set(seen).size, 300)
      })
    )
  )

  it.live("rebuilds only the projection whose version has changed, without delaying the others", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        const stable: Array<string> = []
        const changed: Array<string> = []
        yield* submitMany(0, 1_500)
        yield* runOnce(filename, [counting("stable", 1, stable), counting("changed", 1, changed)])
        yield* submitMany(1_500, 1_510)
        yield* Effect.gen(function* () {
          yield* settle("stable")
          assert.isBelow(changed.length, 1_500 + 1_510)
          yield* settle("changed")
          yield* submitMany(1_510, 1_520)
          yield* settle("stable")
          yield* settle("changed")
        }).pipe(
          Effect.provide(
            Projections.layerInProcess({
              filename,
              projections: [counting("stable", 1, stable), counting("changed", 2, changed)]
            })
          )
        )
        assert.lengthOf(stable, 1_520)
        assert.lengthOf(changed, 1_500 + 1_520)
        assert.deepStrictEqual(rowsOf(filename, "changed"), rowsOf(filename, "stable"))
      })
    )
  )

  it.live("stops only the projection that cannot apply an event, before that event", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        yield* submitMany(0, 10)
        const last = yield* (yield* EventReader).head
        yield* Log.append(3, Log.completed(1))
        yield* submitMany(10, 20)
        yield* Effect.gen(function* () {
          const projections = yield* Projections
          yield* settle("counted")
          const states = yield* projections.states
          const reason = `cannot apply RequestCompleted at position ${Number(last) + 1} (Error)`
          assert.deepStrictEqual(states.get("poisoned"), { position: last, stopped: true, reason })
          assert.strictEqual(states.get("counted")?.stopped, false)
          const head = yield* (yield* EventReader).head
          assert.isFalse(yield* projections.waitFor(head, { projection: "poisoned", timeout: "1 hour" }))
          yield* submitMany(20, 30)
          yield* settle("counted")
        }).pipe(
          Effect.provide(
            Projections.layerInProcess({ filename, projections: [poisoned, counting("counted")] })
          )
        )
        assert.lengthOf(rowsOf(filename, "poisoned"), 10)
        assert.lengthOf(rowsOf(filename, "counted"), 30)
      })
    )
  )

  it.live("stops at data that no released version could have written", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        yield* submitMany(0, 1)
        const good = yield* (yield* EventReader).head
        yield* Log.appendCorrupt(1, "RequestSubmitted")
        yield* Effect.gen(function* () {
          yield* settle("files")
          const states = yield* (yield* Projections).states
          const stopped = {
            position: good,
            stopped: true,
            reason: "cannot apply RequestSubmitted at position 2 (UnexpectedField)"
          }
          assert.deepStrictEqual(states.get("history"), stopped)
          assert.deepStrictEqual(states.get("duework"), stopped)
        }).pipe(Effect.provide(Projections.layerInProcess({ filename })))
      })
    )
  )

  it.live("loses and repeats nothing if it is killed between two batches", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        yield* submitMany(0, 3_000)
        const halfway = Effect.gen(function* () {
          const { position } = (yield* (yield* Projections).states).get("counted") ?? { position: "0" }
          return Number(position)
        })
        const interrupted = yield* Until.until("a first batch", halfway, (at) => at > 0).pipe(
          Effect.provide(Projections.layerInProcess({ filename, projections: [counting("counted")] }))
        )
        assert.isBelow(interrupted, 3_000)
        const rows = rowsOf(filename, "counted").length
        assert.deepInclude(dump(filename)["checkpoints"]?.[0], { position: String(rows) })
        yield* runOnce(filename, [counting("counted")])
        assert.lengthOf(rowsOf(filename, "counted"), 3_000)
      })
    )
  )

  it.live("starts again if the log is a different one, longer or shorter", () =>
    Effect.gen(function* () {
      const filename = `${yield* TempDirectory.make}/projections.sqlite`
      for (const [from, to] of [
        [0, 700],
        [1_000, 1_020],
        [2_000, 2_900]
      ] as const) {
        yield* submitMany(from, to).pipe(
          Effect.andThen(runOnce(filename, [counting("counted")])),
          Effect.provide(Layer.fresh(MemoryEventStore.layer))
        )
        assert.lengthOf(rowsOf(filename, "counted"), to - from)
      }
    }).pipe(Effect.scoped)
  )

  it.live("follows the log as it grows", () =>
    inDirectory((filename) =>
      Effect.gen(function* () {
        const writer = yield* Effect.forkChild(submitMany(0, 200))
        yield* Fiber.join(writer)
        yield* settle("counted")
        yield* submitMany(200, 201)
        yield* settle("counted")
        assert.lengthOf(rowsOf(filename, "counted"), 201)
      }).pipe(Effect.provide(Projections.layerInProcess({ filename, projections: [counting("counted")] })))
    )
  )
})
