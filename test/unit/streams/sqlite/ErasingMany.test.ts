/** SQLite moves rows when others are deleted; erasing many payloads must not leave copies. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inlinePayload } from "#test/support/EventFixtures.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as DataDirectory from "#test/support/streams/sqlite/DataDirectory.ts"

/** The same random numbers from 0 to 1 in each run. */
const randomNumbers = (seed: number) => {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

const textOf = (id: string, length: number) => `<text of ${id}>`.padEnd(length, ".")

const store = (id: string, length: number) =>
  DataDirectory.append(id, id, {}, [inlinePayload("input", textOf(id, length))])

/** Erases in any order while others are added. Returns the ids of erased and remaining payloads. */
const churn = Effect.fnUntraced(function* (seed: number, longest: number) {
  const random = randomNumbers(seed)
  const present: Array<string> = []
  const erased: Array<string> = []
  let stored = 0
  for (let batch = 0; batch < 60; batch++) {
    const operations = Array.from({ length: 25 }, () => {
      const [id] =
        random() < (batch < 30 ? 0.25 : 0.65) ? present.splice(Math.floor(random() * present.length), 1) : []
      if (id !== undefined) {
        erased.push(id)
        return DataDirectory.erase(id)
      }
      const next = `p${stored++}`
      present.push(next)
      return store(next, Math.floor(random() * longest))
    })
    yield* Effect.all(operations, { concurrency: "unbounded", discard: true })
  }
  return { present, erased }
})

describe("Erased payloads among many", () => {
  // With rows deleted instead of emptied, SQLite 3.53 leaves copies of some in the first three.
  for (const { longest, seed } of [
    { seed: 8, longest: 50 },
    { seed: 2, longest: 400 },
    { seed: 7, longest: 400 },
    { seed: 1, longest: 1_500 },
    { seed: 1, longest: 20_000 }
  ]) {
    it.effect(`of up to ${longest} characters leave the disk, and the others stay (seed ${seed})`, () =>
      Effect.gen(function* () {
        const directory = yield* TempDirectory.make
        const { erased, present } = yield* DataDirectory.own(
          directory,
          Effect.tap(churn(seed, longest), TestClock.adjust("1 second"))
        )
        const bytes = DataDirectory.snapshot(directory).get("log.sqlite")
        assert.deepStrictEqual(
          erased.filter((id) => bytes?.includes(textOf(id, 0))),
          []
        )
        assert.isTrue(present.every((id) => bytes?.includes(textOf(id, 0))))
      })
    )
  }
})
