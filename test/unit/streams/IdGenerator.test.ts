import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { millisOf, requestIdPattern } from "#domain/Ids.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"

const generated = (count: number) =>
  Effect.map(IdGenerator, ({ next }) => Array.from({ length: count }, () => next()))

const assertRising = (ids: ReadonlyArray<string>) => {
  for (const [index, id] of ids.entries()) {
    const next = ids[index + 1]
    if (next !== undefined) assert.isTrue(id < next, `${id} is before ${next}`)
  }
}

const now = 1_700_000_000_000

describe("IdGenerator", () => {
  it.effect("returns ids of the request's form that contain their time", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      for (const id of yield* generated(10)) {
        assert.match(id, requestIdPattern)
        assert.strictEqual(millisOf(id), now)
      }
    }).pipe(Effect.provide(IdGenerator.layer))
  )

  it.effect("returns rising ids within one millisecond, even when its counter overflows", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const ids = yield* generated(10_000)
      assertRising(ids)
      assert.strictEqual(millisOf(ids.at(-1) ?? ""), now + 2)
    }).pipe(Effect.provide(IdGenerator.layer))
  )

  it.effect("returns rising ids when the clock steps back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now)
      const before = yield* generated(5)
      yield* TestClock.setTime(now - 60_000)
      const meanwhile = yield* generated(5)
      yield* TestClock.setTime(now + 1)
      const after = yield* generated(5)
      assertRising([...before, ...meanwhile, ...after])
      assert.strictEqual(millisOf(after[0] ?? ""), now + 1)
    }).pipe(Effect.provide(IdGenerator.layer))
  )

  it.effect("never reuses the random part of an id", () =>
    Effect.gen(function* () {
      const ids = yield* generated(5_000)
      assert.strictEqual(new Set(ids.map((id) => id.slice(11))).size, ids.length)
    }).pipe(Effect.provide(IdGenerator.layer))
  )
})
