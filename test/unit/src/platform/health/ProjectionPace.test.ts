import { assert, describe, it } from "@effect/vitest"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { makeTracker, stalledAfterMs, stalledSince } from "#src/platform/health/ProjectionPace.ts"

const at = (sequence: number) => GlobalPosition.trusted(String(sequence))

/** One look: the head of the log and the position of the only projection. */
const looking = () => {
  const tracker = makeTracker()
  return (now: number, head: number, position: number) => {
    tracker.see(now, at(head), [["queue", { position: at(position), stopped: false }]])
    return tracker.of("queue")
  }
}

describe("the pace of a projection", () => {
  it("has no lag while it is level with the log", () => {
    const look = looking()
    assert.isNull(look(0, 5, 5))
    assert.isNull(look(60_000, 5, 5))
  })

  it("counts a standstill from the first event that it does not apply", () => {
    const look = looking()
    look(0, 5, 5)
    const pace = look(60_000, 6, 5)
    assert.isNull(stalledSince(pace, 60_000 + stalledAfterMs))
    const later = look(60_000 + stalledAfterMs + 1, 9, 5)
    assert.strictEqual(stalledSince(later, 60_000 + stalledAfterMs + 1), 60_000)
  })

  it("is not stalled as long as it moves, and lags since its oldest missing event", () => {
    const look = looking()
    look(0, 5, 5)
    for (let second = 1; second <= 40; second++) {
      const now = second * 1_000
      const pace = look(now, 5 + second * 10, 5 + second)
      assert.isNull(stalledSince(pace, now))
      // One of ten events is applied: the oldest one left arrived after a tenth of the time.
      assert.isAtMost(Math.abs((pace?.behindSince ?? 0) - now / 10), 1_000)
    }
  })

  it("is building from the beginning of the log, or from far back, until it has reached the head at that time", () => {
    const look = looking()
    assert.isTrue(look(0, 5_000, 0)?.isBuilding)
    assert.isTrue(look(500, 6_000, 4_999)?.isBuilding)
    assert.isFalse(look(1_000, 7_000, 5_000)?.isBuilding)
    assert.isNull(look(1_500, 7_000, 7_000))
    assert.isTrue(look(2_000, 7_000, 100)?.isBuilding)
    assert.isNull(look(2_500, 7_000, 7_000))
  })

  it("reports how much of it is built, the slowest first", () => {
    const tracker = makeTracker()
    const see = (now: number, queue: number, history: number) =>
      tracker.see(now, at(5_000), [
        ["queue", { position: at(queue), stopped: false }],
        ["history", { position: at(history), stopped: false }]
      ])
    see(0, 0, 0)
    see(500, 4_000, 2_000)
    assert.deepStrictEqual(tracker.building(), [
      { projection: "history", done: 2_000, of: 5_000 },
      { projection: "queue", done: 4_000, of: 5_000 }
    ])
    see(1_000, 5_000, 3_000)
    assert.deepStrictEqual(tracker.building(), [{ projection: "history", done: 3_000, of: 5_000 }])
    see(1_500, 5_000, 5_000)
    assert.deepStrictEqual(tracker.building(), [])
  })

  it("is not building on a log of a few events", () => {
    assert.isFalse(looking()(0, 5, 0)?.isBuilding)
  })

  it("is exact about the oldest event with few remembered heads", () => {
    const look = looking()
    look(0, 5, 5)
    for (let second = 1; second <= 5_000; second++) look(second * 1_000, 5 + second, 5)
    assert.strictEqual(look(5_001_000, 9_000, 5)?.behindSince, 1_000)
  })
})
