import { assert, describe, it } from "@effect/vitest"
import * as RecentlyUsed from "#streams/RecentlyUsed.ts"

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe("RecentlyUsed", () => {
  it("keeps the latest half of its capacity, and hardly more than all of it", () => {
    const cache = RecentlyUsed.make<number>({ capacity: 100 })
    for (const index of upTo(10_000)) cache.set(`k${index}`, index)
    // The latest first, because a look counts as a use.
    const kept = upTo(10_000)
      .toReversed()
      .filter((index) => cache.get(`k${index}`) === index)
    assert.includeMembers(
      kept,
      upTo(50).map((index) => 9_950 + index)
    )
    assert.isAtMost(kept.length, 102)
  })

  it("keeps used entries, whatever comes after them", () => {
    const cache = RecentlyUsed.make<string>({ capacity: 10 })
    cache.set("used", "yes")
    for (const index of upTo(1_000)) {
      cache.set(`k${index}`, "no")
      assert.strictEqual(cache.get("used"), "yes")
    }
  })

  it("keeps pinned entries until they are unpinned", () => {
    const pinned = { isPinned: true }
    const cache = RecentlyUsed.make<{ isPinned: boolean }>({
      capacity: 4,
      isPinned: (value) => value.isPinned
    })
    cache.set("pinned", pinned)
    const fill = () => upTo(100).forEach((index) => cache.set(`k${index}`, { isPinned: false }))
    fill()
    assert.strictEqual(cache.get("pinned"), pinned)
    pinned.isPinned = false
    fill()
    assert.isUndefined(cache.get("pinned"))
  })

  it("looks at a few entries per insert, however many are pinned", () => {
    let looks = 0
    const cache = RecentlyUsed.make<boolean>({
      capacity: 4_000,
      isPinned: (value) => {
        looks++
        return value
      }
    })
    for (const index of upTo(5_000)) cache.set(`pinned ${index}`, true)
    const before = looks
    for (const index of upTo(20_000)) cache.set(`k${index}`, false)
    assert.isAtMost((looks - before) / 20_000, 4)
    assert.isTrue(upTo(5_000).every((index) => cache.get(`pinned ${index}`) === true))
  })

  it("returns the newest value of a key, and none after its deletion", () => {
    const cache = RecentlyUsed.make<number>({ capacity: 4 })
    for (const index of upTo(20)) {
      cache.set("a", index)
      cache.set(`k${index}`, 0)
      assert.strictEqual(cache.get("a"), index)
    }
    cache.delete("a")
    assert.isUndefined(cache.get("a"))
    cache.set("a", 1)
    cache.clear()
    assert.isUndefined(cache.get("a"))
  })
})
