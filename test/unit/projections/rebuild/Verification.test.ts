import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { RequestCompleted } from "#domain/inference-request/Event.ts"
import { allProjections } from "#projections/AllProjections.ts"
import { onType, type Projection } from "#projections/Projection.ts"
import { Projections } from "#projections/Projections.ts"
import * as Copy from "#projections/rebuild/Copy.ts"
import * as CopyProgress from "#projections/rebuild/CopyProgress.ts"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Verification from "#projections/rebuild/Verification.ts"
import type { EventReader } from "#streams/EventReader.ts"
import { dump, runOnce, settle } from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import * as RebuildLog from "#test/support/projections/rebuild/RebuildLog.ts"
import * as VariedLog from "#test/support/projections/rebuild/VariedLog.ts"

const verify = (base: string, projections: ReadonlyArray<Projection> = allProjections) =>
  Effect.scoped(Verification.run({ base, projections }))

const resultsOf = (verdicts: ReadonlyArray<Verification.Verdict>): Record<string, string> =>
  Object.fromEntries(verdicts.map(({ projection, result }) => [projection.name, result]))

const all = (result: Verification.Verdict["result"]): Record<string, string> =>
  Object.fromEntries(RebuildLog.allNames.map((name) => [name, result]))

/** Records completions, and stops at one while `isBroken` is true. */
const notes = (isBroken: () => boolean = () => false): Projection => ({
  name: "notes",
  version: 1,
  tables: "CREATE TABLE notes_rows (position TEXT PRIMARY KEY, time INTEGER NOT NULL) STRICT",
  open: (db) => {
    const insert = db.prepare("INSERT INTO notes_rows VALUES (?, ?)")
    const rule = onType(RequestCompleted, ({ position, time }) => {
      if (isBroken()) throw new Error("broken")
      insert.run(position, time)
    })
    return { rules: [rule] }
  }
})

describe("A verification", () => {
  it.live("accepts correct rows of any history, and changes nothing", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.nat(), (seed) =>
          Effect.runPromise(
            RebuildLog.inMemory((base) =>
              Effect.gen(function* () {
                yield* VariedLog.append(seed)
                yield* runOnce(base, allProjections)
                const before = dump(base)
                assert.deepStrictEqual(resultsOf(yield* verify(base)), all("equal"))
                assert.deepStrictEqual(dump(base), before)
                assert.deepStrictEqual(RebuildLog.files(base), ["projections.sqlite"])
              })
            )
          )
        ),
        { numRuns: 2 }
      )
    )
  )

  it.live("names the table and the key of a changed row, and both rows", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 12)
        yield* runOnce(base, allProjections)
        const id = Log.requestId(7)
        RebuildLog.damage(base, `UPDATE history_requests SET status = 'FAILED' WHERE request_id = '${id}'`)
        const verdicts = yield* verify(base)
        assert.deepStrictEqual(resultsOf(verdicts), { ...all("equal"), history: "different" })
        const { difference } = verdicts.find(({ projection }) => projection.name === "history") ?? {}
        assert.deepInclude(difference, { kind: "row", table: "history_requests", key: { request_id: id } })
        assert.deepInclude(difference?.stored, { request_id: id, status: "FAILED" })
        assert.deepInclude(difference?.expected, { request_id: id, status: "COMPLETED" })

        const others = allProjections.filter(({ name }) => name !== "history")
        assert.notProperty(resultsOf(yield* verify(base, others)), "history")
      })
    )
  )

  it.live("accepts correct rows while others are written", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 300)
        yield* Effect.gen(function* () {
          yield* Effect.forEach(RebuildLog.allNames, settle)
          let number = 300
          const writing = yield* Effect.forkChild(
            Effect.forever(Effect.suspend(() => RebuildLog.append(number++, number)))
          )
          for (let round = 0; round < 4; round++) {
            assert.deepStrictEqual(resultsOf(yield* verify(base)), all("equal"))
          }
          yield* Fiber.interrupt(writing)
          assert.isAbove(number, 301)
        }).pipe(Effect.provide(RebuildLog.readSide(base)))
      })
    )
  )

  it.live("compares each projection at its own position, including stopped ones", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        let isBroken = false
        const projections = [notes(() => isBroken), ...allProjections]
        yield* runOnce(base, projections)
        isBroken = true
        yield* RebuildLog.append(8, 40)
        yield* Effect.forEach(RebuildLog.allNames, settle).pipe(
          Effect.provide(RebuildLog.readSide(base, projections))
        )
        isBroken = false
        const [stopped, ...others] = yield* verify(base, projections)
        assert.deepInclude(stopped, { result: "equal", rows: 2 })
        assert.deepStrictEqual(resultsOf(others), all("equal"))
        assert.isTrue(others.every(({ position }) => position !== stopped?.position))
        RebuildLog.damage(base, "DELETE FROM notes_rows")
        const [damaged] = yield* verify(base, projections)
        assert.deepInclude(damaged, { result: "different" })
      })
    )
  )

  it.live("reports missing rows and rows of another release as not comparable", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        assert.deepStrictEqual(resultsOf(yield* verify(base)), all("not built"))
        yield* runOnce(base, allProjections)
        const projections = [{ ...notes(), version: 2 }, ...allProjections]
        assert.strictEqual(resultsOf(yield* verify(base, projections))["notes"], "not built")
        yield* runOnce(base, [notes()])
        const found = resultsOf(yield* verify(base, projections))
        assert.deepStrictEqual(found, { ...all("equal"), notes: "other version" })
        assert.deepStrictEqual(resultsOf(yield* verify(base, projections.slice(0, 1))), {
          notes: "other version"
        })
      })
    )
  )

  it.live("detects rows of another log", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* runOnce(base, allProjections)
        RebuildLog.damage(base, "UPDATE checkpoints SET hash = 'x' WHERE projection = 'keys'")
        RebuildLog.damage(base, "UPDATE checkpoints SET position = '900' WHERE projection = 'ledger'")
        const verdicts = yield* verify(base)
        const expected = { ...all("equal"), keys: "different", ledger: "different" }
        assert.deepStrictEqual(resultsOf(verdicts), expected)
        const ledger = verdicts.find(({ projection }) => projection.name === "ledger")
        assert.deepInclude(ledger?.difference, { kind: "checkpoint", key: { projection: "ledger" } })
        assert.strictEqual(ledger?.difference?.stored?.["position"], "900")
      })
    )
  )

  it.effect("waits at most a minute for rows that are rebuilt to catch up", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* runOnce(base, allProjections)
        const begunAnew = Effect.sync(() =>
          RebuildLog.damage(base, "UPDATE checkpoints SET position = '1' WHERE projection = 'keys'")
        )
        const options = { base, projections: allProjections, onBuilt: () => begunAnew }
        const verifying = yield* Effect.forkChild(Effect.scoped(Verification.run(options)))
        const start = yield* Clock.currentTimeMillis
        while (verifying.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Effect.flip(Fiber.join(verifying)))._tag, "RowsWentBack")
        assert.isAtLeast((yield* Clock.currentTimeMillis) - start, 60_000)
        assert.isFalse(fs.existsSync(Generations.copyOf(base)))
      })
    )
  )

  it.live("reads the file that a rebuild has installed", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          yield* RebuildLog.rebuild(base)
          const { filename } = yield* Projections
          assert.strictEqual(yield* filename, Generations.current(base))
          assert.deepStrictEqual(resultsOf(yield* verify(base)), all("equal"))
          RebuildLog.damage(base, "DELETE FROM retention_requests")
          assert.strictEqual(resultsOf(yield* verify(base))["retention"], "different")
        }).pipe(Effect.provide(RebuildLog.readSide(base)))
      })
    )
  )

  it.live("blocks rebuilds and other verifications, appears in no list, and can never take over", () =>
    RebuildLog.inMemory((base) =>
      Effect.gen(function* () {
        yield* RebuildLog.append(0, 8)
        yield* Effect.gen(function* () {
          yield* Effect.forEach(RebuildLog.allNames, settle)
          const { adopt } = yield* Projections
          const reader = yield* Effect.context<EventReader>()
          const refused: Array<string> = []
          let inTheWay = 0
          yield* Verification.run({
            base,
            projections: allProjections,
            onBuilt: () =>
              Effect.gen(function* () {
                inTheWay++
                refused.push((yield* Effect.flip(adopt)).message)
                refused.push((yield* Effect.flip(verify(base)))._tag)
                const options = { base, projections: allProjections, names: RebuildLog.allNames }
                refused.push((yield* Effect.flip(Effect.scoped(Copy.open(options))))._tag)
                assert.strictEqual(CopyProgress.read(base).size, 0)
              }).pipe(Effect.orDie, Effect.provide(reader))
          }).pipe(Effect.scoped)
          assert.isAbove(inTheWay, 0)
          assert.sameMembers([...new Set(refused)], ["The copy is not finished", "RebuildUnderWay"])
          assert.isFalse(fs.existsSync(Generations.copyOf(base)))
        }).pipe(Effect.provide(RebuildLog.readSide(base)))
      })
    )
  )
})
