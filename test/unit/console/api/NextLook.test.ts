import { assert, describe, it } from "vitest"
import * as NextLook from "#console/api/NextLook.ts"
import { timesOf } from "#console/views/webhooks/DueAttempts.ts"

const now = Date.parse("2026-01-05T12:00:00Z")

describe("The next look at what changes by itself", () => {
  it("is soon after the first change is due, and at least once an hour", () => {
    assert.strictEqual(NextLook.after([now + 90_000, now + 5_000], now), 5_500)
    assert.strictEqual(NextLook.after([now + 86_400_000], now), 3_600_000)
  })

  it("does not come if nothing is due", () => assert.isNull(NextLook.after([], now)))

  it("comes at growing distances until the change is seen", () => {
    const looks = [now]
    while ((looks.at(-1) ?? 0) < now + 30_000) {
      const last = looks.at(-1) ?? 0
      looks.push(last + (NextLook.after([now], last) ?? Infinity))
    }
    assert.deepStrictEqual(
      looks.slice(0, 4).map((look) => look - now),
      [0, 500, 1_000, 1_500]
    )
    assert.isAtMost(looks.length, 12)
    assert.strictEqual(NextLook.after([now], now + 86_400_000), 10_000)
  })
})

describe("Deliveries", () => {
  const delivery = (status: string, changes: { readonly next?: number; readonly updated?: number } = {}) => {
    const { next, updated = 0 } = changes
    const nextAttemptAt = next === undefined ? null : new Date(now + next).toISOString()
    return { status, nextAttemptAt, updatedAt: new Date(now + updated).toISOString() }
  }

  it("change at their next attempts, and while one is under way", () => {
    const some = [delivery("pending", { next: 5_000 }), delivery("delivering", { updated: -8_000 })]
    assert.deepStrictEqual(timesOf(some, now), [now + 5_000, now - 8_000])
    assert.deepStrictEqual(timesOf([delivery("delivered"), delivery("failed")], now), [])
  })

  it("are under way now, if the browser's clock is behind", () =>
    assert.deepStrictEqual(timesOf([delivery("delivering", { updated: 60_000 })], now), [now]))
})
