import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { AccountId } from "#domain/Ids.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { History } from "#projections/history/History.ts"
import { Projections } from "#projections/Projections.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as LogFiles from "#streams/sqlite/LogFiles.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { dump, settle } from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"

const allOf = { names: RebuildLog.allNames, projections: allProjections }

/** An account for which no other test appends. */
const dave = AccountId.make("acc_dave")

const settleAll = Effect.forEach(RebuildLog.allNames, settle, { discard: true })

describe("A copy", () => {
  it.live("does not take over if it is missing, unfinished, or of another release", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          yield* settle("history")
          const { adopt, filename } = yield* Projections
          const errorAnswer = Effect.map(Effect.flip(adopt), ({ message }) => message)
          assert.strictEqual(yield* errorAnswer, "There is no copy to take over")

          yield* Effect.gen(function* () {
            const copy = yield* Copy.open({ base, ...allOf })
            yield* copy.catchUp()
            assert.strictEqual(yield* errorAnswer, "The copy is not finished")
          }).pipe(Effect.scoped)

          const older = allOf.projections.map((projection) =>
            projection.name === "keys" ? { ...projection, version: projection.version + 1 } : projection
          )
          yield* RebuildLog.build(base, RebuildLog.allNames, older)
          assert.match(yield* errorAnswer, /another release.*keys/)
          assert.strictEqual(yield* filename, base)
          yield* RebuildLog.append(8, 16)
          yield* settleAll
        }).pipe(Effect.scoped, Effect.provide(RebuildLog.readSide(base)))
        assert.deepStrictEqual(dump(base), yield* RebuildLog.replayed())
      })
    )
  )
})

describe("A copy that takes over", () => {
  it.live("may be interrupted at any moment: readers continue with one of the files", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 30)
        yield* Effect.gen(function* () {
          const { adopt } = yield* Projections
          let number = 30
          for (const turns of [0, 1, 2, 3, 5, 8, 13, 21]) {
            yield* Effect.gen(function* () {
              yield* RebuildLog.build(base)
              const adopting = yield* Effect.forkChild(adopt, { startImmediately: true })
              for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
              yield* Fiber.interrupt(adopting)
            }).pipe(Effect.scoped)
            assert.lengthOf(RebuildLog.files(base), 1)
            yield* RebuildLog.append(number, (number += 3))
            yield* settleAll
            assert.strictEqual(yield* RebuildLog.total(), number / 3)
          }
          assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
        }).pipe(Effect.scoped, Effect.provide(RebuildLog.readSide(base)))
      })
    )
  )
})

describe("A rebuild beside the projections' thread", () => {
  it.live("shows every reader the events before its call, before, during and after the take-over", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const base = Generations.baseIn(directory)
      const log = LogFiles.files(directory).log
      const services = History.layer.pipe(
        Layer.provideMerge(ReadModels.layer),
        Layer.provideMerge(Projections.layer({ filename: base, log: { _tag: "Sqlite", filename: log } })),
        Layer.provideMerge(SqliteEventStore.layer(directory))
      )
      yield* Effect.gen(function* () {
        const projections = yield* Projections
        let isOver = false
        let number = 0
        const seen: Array<string> = []
        const reading = Effect.gen(function* () {
          while (!isOver) {
            const position = yield* Log.append(++number, Log.submitted(dave, Log.echo))
            assert.isTrue(
              yield* projections.waitFor(position, { projection: "history", timeout: "20 seconds" })
            )
            assert.strictEqual(yield* RebuildLog.total(dave), number)
            seen.push(yield* projections.filename)
          }
        })
        const reader = yield* Effect.forkChild(reading)
        const others = yield* Effect.forkChild(RebuildLog.append(10_000, 10_400))
        for (let round = 0; round < 2; round++) yield* RebuildLog.rebuild(base)
        yield* Fiber.join(others)
        isOver = true
        yield* Fiber.join(reader)
        assert.isAbove(new Set(seen).size, 1)
        yield* settleAll
        assert.deepStrictEqual(dump(yield* projections.filename), yield* RebuildLog.replayed())
      }).pipe(Effect.provide(services))
    }).pipe(Effect.scoped)
  )
})
