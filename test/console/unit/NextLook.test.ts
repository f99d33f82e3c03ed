import { assert, describe, it } from "vitest"
import * as NextLook from "#console/views/webhooks/NextLook.ts"

const now = Date.parse("2026-01-05T12:00:00Z")

const shown = (status: string, changes: { readonly next?: number; readonly updated?: number } = {}) => {
  const { next, updated = 0 } = changes
  const nextAttemptAt = next === undefined ? null : new Date(now + next).toISOString()
  return { status, nextAttemptAt, updatedAt: new Date(now + updated).toISOString() }
}

describe("the next look at deliveries", () => {
  it("is when the first of them is due", () => {
    assert.strictEqual(
      NextLook.of([shown("pending", { next: 90_000 }), shown("pending", { next: 5_000 })], now),
      5_000
    )
  })

  it("is none for those that have ended, and for those that are due much later", () => {
    assert.isNull(NextLook.of([], now))
    assert.isNull(NextLook.of([shown("delivered"), shown("pending", { next: 3_600_001 })], now))
  })

  it("comes later, the longer an attempt is under way or late", () => {
    assert.strictEqual(NextLook.of([shown("delivering", { updated: -8_000 })], now), 2_000)
    assert.strictEqual(NextLook.of([shown("delivering", { updated: 60_000 })], now), 0)
    assert.strictEqual(NextLook.of([shown("delivering", { updated: -86_400_000 })], now), 3_000)
    assert.strictEqual(NextLook.of([shown("pending", { next: -40_000 })], now), 10_000)
    assert.strictEqual(NextLook.of([shown("pending", { next: -3_600_000 })], now), 30_000)
  })
})
