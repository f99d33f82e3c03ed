import { assert, describe, it } from "@effect/vitest"
import * as Minutes from "#src/features/fleet/pulse/Minutes.ts"
import { none } from "#src/features/requests/metrics/RequestTally.ts"

const { minuteMs } = Minutes
const t0 = 1_000 * minuteMs

const accepted = (count: number) => ({ ...none, accepted: count })

/** The minutes after counts at times. */
const after = (...looks: ReadonlyArray<readonly [at: number, count: number]>) =>
  looks.reduce<ReadonlyArray<Minutes.Minute>>(
    (minutes, [at, count]) => Minutes.noted(minutes, accepted(count), { queued: count, running: 1 }, at),
    []
  )

const shown = (minutes: ReadonlyArray<Minutes.Minute>) =>
  minutes.map(({ accepted, at, queued }) => [(at - t0) / minuteMs, accepted, queued])

describe("The minutes of a node", () => {
  it("add up within a minute, and have no gaps", () => {
    const minutes = after([t0 + 1, 2], [t0 + 59_999, 3], [t0 + 3 * minuteMs, 4])
    assert.deepStrictEqual(shown(minutes), [
      [0, 5, 3],
      [1, 0, null],
      [2, 0, null],
      [3, 4, 4]
    ])
  })

  it("are the last sixty, after a steady hour and after a long pause", () => {
    const looks = Array.from({ length: 70 }, (_, index) => [t0 + index * minuteMs, 1] as const)
    const hour = after(...looks)
    assert.deepStrictEqual([hour.length, hour[0]?.at], [60, t0 + 10 * minuteMs])
    const paused = after([t0, 7], [t0 + 500 * minuteMs, 1])
    assert.deepStrictEqual(shown(paused), [[500, 1, 1]])
    // The clock was set back.
    assert.deepStrictEqual(shown(after([t0 + 9 * minuteMs, 7], [t0, 1])), [[0, 1, 1]])
  })

  it("keep the last known queue when it cannot be read", () => {
    const minutes = Minutes.noted(after([t0, 2]), accepted(1), null, t0 + 5)
    assert.deepStrictEqual(shown(minutes), [[0, 3, 2]])
  })

  it("of several nodes are one hour, of which each sees the same queue", () => {
    const waits = { ...none, dispatched: 1, waits: [0, 1] }
    const other = Minutes.noted([], waits, { queued: 9, running: 3 }, t0 + minuteMs)
    const hour = Minutes.together([after([t0, 2], [t0 + minuteMs, 3]), other], t0 + minuteMs)
    assert.strictEqual(hour.length, 60)
    assert.deepStrictEqual(shown(hour).slice(-2), [
      [0, 2, 2],
      [1, 3, 9]
    ])
    assert.deepInclude(hour.at(-1), { dispatched: 1, waits: [0, 1], running: 3 })
    assert.deepStrictEqual(shown(hour)[0], [-58, 0, null])
  })
})
