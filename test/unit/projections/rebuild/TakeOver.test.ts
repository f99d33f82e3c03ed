import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { makeBoard, type Progress } from "#projections/Progress.ts"
import * as TakeOver from "#projections/rebuild/TakeOver.ts"
import * as Checkpoints from "#projections/runner/Checkpoints.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const place = (position: number) => GlobalPosition.GlobalPosition.make(String(position))

/** A file of read models whose projection is at `position`. */
const store = (filename: string, position: number) => {
  using db = new DatabaseSync(filename)
  Checkpoints.make(db)
  db.prepare("INSERT OR REPLACE INTO checkpoints VALUES ('lists', 1, ?, '0', '')").run(place(position))
}

const state = (position: number, stopped = false): Progress => ({
  projections: ["lists"],
  position: place(position),
  stopped,
  reason: null
})

/** A copy at position 3, beside rows in use at position 5. */
const behind = Effect.gen(function* () {
  const directory = yield* TempDirectory.make
  const board = makeBoard()
  const taken: Array<Progress> = []
  const [from, to] = [`${directory}/from.sqlite`, `${directory}/to.sqlite`]
  store(from, 5)
  store(to, 3)
  board.publish([state(3)])
  const take = (states: ReadonlyArray<Progress>) => void taken.push(...states)
  const waiting = yield* Effect.forkChild(TakeOver.whenCaughtUp({ from, to, board, take }), {
    startImmediately: true
  })
  return { board, from, to, taken, waiting }
})

describe("TakeOver.whenCaughtUp", () => {
  it.effect("waits for the file itself, and for the current rows at that time", () =>
    Effect.gen(function* () {
      const { board, from, taken, to, waiting } = yield* behind
      store(from, 6)
      store(to, 5)
      board.publish([state(5)])
      yield* Effect.yieldNow
      assert.deepStrictEqual(taken, [])
      store(to, 7)
      board.publish([state(6)])
      yield* Fiber.join(waiting)
      assert.deepStrictEqual(taken, [state(7)])
    }).pipe(Effect.scoped)
  )

  it.effect("refuses a copy that stops before the rows in use", () =>
    Effect.gen(function* () {
      const { board, taken, waiting } = yield* behind
      board.publish([state(4, true)])
      const error = yield* Effect.flip(Fiber.join(waiting))
      assert.strictEqual(error._tag, "CopyRefused")
      assert.deepStrictEqual(taken, [])
    }).pipe(Effect.scoped)
  )

  it.effect("abandons a copy after a minute", () =>
    Effect.gen(function* () {
      const { taken, waiting } = yield* behind
      yield* TestClock.adjust("59 seconds")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const error = yield* Effect.flip(Fiber.join(waiting))
      assert.strictEqual(error._tag, "CopyRefused")
      assert.deepStrictEqual(taken, [])
    }).pipe(Effect.scoped)
  )
})
