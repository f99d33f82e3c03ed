/** The number of runs lost in a crash that begin at once. */
import { assert, describe, it } from "@effect/vitest"
import * as SlowStart from "#src/features/dispatch/SlowStart.ts"

const rows = (crashes: number, count: number) => Array.from({ length: count }, () => ({ crashes }))
const all = 1_000
const model = "test/model"

/** Begins the runs that may begin, and returns functions that end them. */
const begin = (start: SlowStart.SlowStart, crashes: number, now: number) =>
  start.select(model, rows(crashes, 100), all, now).map((row) => start.begin(row, now))

describe("After a crash", () => {
  it("runs that were not in progress begin normally", () => {
    const start = SlowStart.make()
    assert.deepStrictEqual(start.select(model, rows(0, 5), 3, 0), rows(0, 3))
    assert.isNull(start.opensIn(model, 0))
  })

  it("one lost run begins, without overtaking others", () => {
    const start = SlowStart.make()
    const mixed = [...rows(1, 2), ...rows(0, 2)]
    assert.deepStrictEqual(start.select(model, mixed, all, 0), [...rows(1, 1), ...rows(0, 2)])
    assert.strictEqual(start.heldBack(model), 1)
  })

  it("twice as many begin each time that the previous ones have ended", () => {
    const start = SlowStart.make()
    const counts = Array.from({ length: 4 }, () => {
      const ends = begin(start, 1, 0)
      for (const end of ends) end()
      return ends.length
    })
    assert.deepStrictEqual(counts, [1, 2, 4, 8])
  })

  it("twice as many begin each time that the previous ones have survived", () => {
    const start = SlowStart.make()
    const counts = [0, 1, 2, 3].map((round) => begin(start, 1, round * SlowStart.survivedMs).length)
    assert.deepStrictEqual(counts, [1, 2, 4, 8])
    assert.strictEqual(start.opensIn(model, 3 * SlowStart.survivedMs + 1_000), SlowStart.survivedMs - 1_000)
  })

  it("no more begin while the previous ones have neither ended nor survived", () => {
    const start = SlowStart.make()
    assert.lengthOf(begin(start, 1, 0), 1)
    assert.lengthOf(begin(start, 1, SlowStart.survivedMs - 1), 0)
  })

  it("a request that fails at its next crash begins alone, without other lost ones", () => {
    const start = SlowStart.make()
    for (const end of begin(start, 1, 0)) end()
    const [first] = begin(start, 1, 0)
    assert.lengthOf(begin(start, 2, 0), 0)
    first?.()
    assert.lengthOf(start.select(model, [...rows(2, 2), ...rows(1, 2)], all, SlowStart.survivedMs), 1)
  })

  it("requests that fail at their next crash begin a minute apart", () => {
    const start = SlowStart.make()
    assert.lengthOf(begin(start, 2, 0), 1)
    assert.lengthOf(begin(start, 2, SlowStart.lastChanceMs - 1), 0)
    assert.lengthOf(begin(start, 2, SlowStart.lastChanceMs), 1)
    assert.lengthOf(begin(start, 1, SlowStart.lastChanceMs + SlowStart.survivedMs), 3)
  })
})
