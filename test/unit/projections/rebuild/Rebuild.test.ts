import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RequestCompleted, RequestSubmitted } from "#domain/inference-request/Event.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { onType, type Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import { dump, settle } from "#test/support/projections/ReadSide.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"

const allOf = { names: RebuildLog.allNames, projections: allProjections }

/** An account for which no other test appends. */
const settleAll = Effect.forEach(RebuildLog.allNames, settle, { discard: true })

const untilStopped = Effect.fnUntraced(function* (projection: string) {
  const { states } = yield* Projections
  for (;;) {
    const state = (yield* states).get(projection)
    if (state?.stopped === true) return state
    yield* Effect.yieldNow
  }
})

/** Cannot apply completions while `broken` is true. */
const breakable = (broken: () => boolean): Projection => ({
  name: "breakable",
  version: 1,
  tables: "CREATE TABLE breakable_rows (position TEXT PRIMARY KEY) STRICT",
  open: (db) => {
    const insert = db.prepare("INSERT INTO breakable_rows VALUES (?)")
    return {
      rules: [
        onType(RequestSubmitted, ({ position }) => {
          insert.run(position)
        }),
        onType(RequestCompleted, ({ position }) => {
          if (broken()) throw new Error("broken")
          insert.run(position)
        })
      ]
    }
  }
})

describe("A rebuild", () => {
  it.live("replaces damaged rows by those of a fresh replay, while the log grows", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 900)
        yield* Effect.gen(function* () {
          yield* settleAll
          RebuildLog.damage(base, "DELETE FROM history_counters; UPDATE duework_depth SET queued = 7")
          assert.strictEqual(yield* RebuildLog.total(), 0)

          const copy = yield* Copy.open({ base, ...allOf })
          yield* RebuildLog.append(900, 1_000)
          yield* copy.catchUp()
          yield* RebuildLog.append(1_000, 1_100)
          yield* copy.finish
          yield* RebuildLog.append(1_100, 1_200)
          yield* (yield* Projections).adopt
          assert.strictEqual(yield* RebuildLog.total(), 400)

          yield* RebuildLog.append(1_200, 1_203)
          yield* settleAll
          assert.strictEqual(yield* RebuildLog.total(), 401)
          assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
        }).pipe(Effect.scoped, Effect.provide(RebuildLog.readSide(base)))
        assert.deepStrictEqual(RebuildLog.files(base), ["projections.1.sqlite"])
      })
    )
  )

  it.live("of one projection takes over the other projections unchanged, and all continue together", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 400)
        yield* Effect.gen(function* () {
          yield* settleAll
          RebuildLog.damage(
            base,
            "DELETE FROM history_counters; INSERT INTO duework_depth VALUES ('mark', 1)"
          )
          yield* RebuildLog.rebuild(base, ["history"])
          yield* RebuildLog.append(400, 500)
          yield* settleAll
          const rows = dump(Generations.current(base))
          const fresh = yield* RebuildLog.replayed()
          assert.lengthOf(rows["duework_depth"] ?? [], 2)
          RebuildLog.damage(base, "DELETE FROM duework_depth WHERE model = 'mark'")
          assert.deepStrictEqual(dump(Generations.current(base)), fresh)
        }).pipe(Effect.scoped, Effect.provide(RebuildLog.readSide(base)))
      })
    )
  )

  it.live("can follow another rebuild, and a start finds the newest file", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 30)
        yield* Effect.gen(function* () {
          yield* RebuildLog.rebuild(base)
          yield* RebuildLog.rebuild(base)
        }).pipe(Effect.provide(RebuildLog.readSide(base)))
        assert.deepStrictEqual(RebuildLog.files(base), ["projections.2.sqlite"])
        yield* Effect.gen(function* () {
          yield* RebuildLog.append(30, 33)
          yield* settle("history")
          assert.strictEqual(yield* RebuildLog.total(), 11)
          yield* RebuildLog.rebuild(base)
        }).pipe(Effect.provide(RebuildLog.readSide(base)))
        assert.deepStrictEqual(RebuildLog.files(base), ["projections.3.sqlite"])
      })
    )
  )

  it.live("works if nothing was built before", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 30)
        yield* Effect.scoped(
          Effect.andThen(
            RebuildLog.build(base, ["keys"]),
            Effect.sync(() => Generations.promote(base))
          )
        )
        assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
      })
    )
  )

  it.live("revives a projection that has stopped, once it can apply the event", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        let broken = true
        const projections = [breakable(() => broken)]
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          const { states } = yield* Projections
          const rebuild = RebuildLog.rebuild(base, ["breakable"], projections)
          yield* untilStopped("breakable")

          const error = yield* Effect.flip(rebuild)
          assert.strictEqual(error._tag, "NotApplicable")
          assert.match(
            error.message,
            /breakable cannot apply the event RequestCompleted at position \d+ \(Error\)/
          )
          assert.deepStrictEqual(RebuildLog.files(base), ["projections.sqlite"])

          broken = false
          yield* rebuild
          yield* settle("breakable")
          assert.isFalse((yield* states).get("breakable")?.stopped)
          assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed(projections))
        }).pipe(Effect.provide(RebuildLog.readSide(base, projections)))
      })
    )
  )

  it.live("takes over a stopped projection, which stays stopped", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        const stopped = breakable(() => true)
        const other: Projection = {
          name: "other",
          version: 1,
          tables: "CREATE TABLE other_rows (position TEXT PRIMARY KEY) STRICT",
          open: () => ({ rules: [] })
        }
        const projections = [stopped, other]
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          yield* settle("other")
          const before = yield* untilStopped("breakable")
          yield* RebuildLog.rebuild(base, ["other"], projections)
          yield* settle("other")
          assert.deepStrictEqual(yield* untilStopped("breakable"), before)
        }).pipe(Effect.provide(RebuildLog.readSide(base, projections)))
      })
    )
  )

  it.live("is refused during another one, and possible again when that ends without taking over", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          yield* Copy.open({ base, ...allOf })
          const error = yield* Effect.flip(Effect.scoped(Copy.open({ base, ...allOf })))
          assert.strictEqual(error._tag, "RebuildUnderWay")
          assert.deepStrictEqual(RebuildLog.files(base), ["projections.rebuild.sqlite"])
        }).pipe(Effect.scoped)
        assert.deepStrictEqual(RebuildLog.files(base), [])
        yield* Effect.scoped(RebuildLog.build(base))
      })
    )
  )

  it.live("starts again after an earlier one left a half-built copy", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        for (const suffix of ["", "-wal", "-shm"]) fs.writeFileSync(Generations.copyOf(base) + suffix, "half")
        yield* Effect.scoped(
          Effect.andThen(
            RebuildLog.build(base),
            Effect.sync(() => Generations.promote(base))
          )
        )
        assert.deepStrictEqual(dump(Generations.current(base)), yield* RebuildLog.replayed())
      })
    )
  )
})
