import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as StoredCheckpoints from "#projections/runner/StoredCheckpoints.ts"
import * as Backup from "#projections/snapshot/Backup.ts"
import * as Integrity from "#projections/snapshot/Integrity.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WritingThread from "#test/support/projections/snapshot/WritingThread.ts"
import * as Until from "#test/support/Until.ts"

describe("A copy of a file that is written continuously", () => {
  it.live("ends, and shows one moment: that of its checkpoints", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const source = `${directory}/busy.sqlite`
      WritingThread.prepare(source)
      const written = yield* WritingThread.start(source)
      let during = 0
      for (let round = 0; round < 5; round++) {
        const copy = `${directory}/copy-${round}.sqlite`
        const before = written()
        const checkpoints = yield* Backup.make(source, copy)
        during += written() - before
        assert.isTrue(yield* Integrity.isWhole(copy))
        const last = WritingThread.commonNumber(copy)
        assert.isAtLeast(last, before)
        assert.deepStrictEqual(StoredCheckpoints.read(copy), checkpoints)
        assert.strictEqual(checkpoints.get("busy")?.position, String(last))
      }
      assert.isAbove(during, 5)
    }).pipe(Effect.scoped)
  )

  it.live("stops when it is interrupted, and leaves the source to others", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const source = `${directory}/busy.sqlite`
      WritingThread.prepare(source)
      const written = yield* WritingThread.start(source)
      for (const turns of [0, 1, 5, 20]) {
        const copy = `${directory}/copy-${turns}.sqlite`
        const copying = yield* Effect.forkChild(Backup.make(source, copy), { startImmediately: true })
        for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(copying)
        const { size = 0 } = fs.statSync(copy, { throwIfNoEntry: false }) ?? {}
        assert.isBelow(size, fs.statSync(source).size)
        const before = written()
        yield* Until.holds("another write", () => written() !== before, written)
      }
      const whole = yield* Backup.make(source, `${directory}/whole.sqlite`)
      assert.deepStrictEqual(StoredCheckpoints.read(`${directory}/whole.sqlite`), whole)
    }).pipe(Effect.scoped)
  )
})
