import { assert, describe, it } from "@effect/vitest"
import * as RetrySchedule from "#domain/RetrySchedule.ts"

const delays = (schedule: RetrySchedule.RetrySchedule) =>
  Array.from({ length: schedule.retries + 2 }, (_, index) => RetrySchedule.delay(schedule, index + 1))

describe("A retry schedule", () => {
  it("retries transport errors five times, from 250 ms, doubling", () => {
    assert.deepStrictEqual(delays(RetrySchedule.transportErrors), [250, 500, 1_000, 2_000, 4_000, null, null])
  })

  it("has no retry if it is configured so", () => {
    assert.deepStrictEqual(delays({ retries: 0, initialDelayMs: 250 }), [null, null])
  })

  it("retries at once if the first delay is zero", () => {
    assert.deepStrictEqual(delays({ retries: 2, initialDelayMs: 0 }), [0, 0, null, null])
  })

  it("waits at most a minute, even after a hundred retries", () => {
    const long = delays({ retries: 100, initialDelayMs: 1 })
    assert.strictEqual(long[16], 60_000)
    assert.strictEqual(long[99], 60_000)
    assert.isNull(long[100])
  })
})
