import { assert, describe, it } from "@effect/vitest"
import type { AllDemand } from "#src/features/demand/Demand.ts"
import * as Announcements from "#src/features/demand/announcing/Announcements.ts"

const of = (queued: number, running = 0): AllDemand => new Map([["acme/up", { queued, running }]])

const make = () => {
  const announcements = Announcements.make({ idleAfterMs: 1_000 })
  const look = (demand: AllDemand, now: number) => announcements.look(demand, now)
  /** Looks, and sends what is to be sent. */
  const sent = (demand: AllDemand, now: number, isAccepted = true) => {
    const changes = look(demand, now)
    for (const change of changes) announcements.begin(change)
    for (const change of changes) announcements.end(change, isAccepted)
    return changes.map(({ state }) => state)
  }
  return { ...announcements, sent }
}

describe("The announcements of demand", () => {
  it("are made once for each change, and without requests after a while only", () => {
    const { sent } = make()
    assert.deepStrictEqual(sent(of(1), 0), ["active"])
    assert.deepStrictEqual(sent(of(0, 1), 10), [])
    assert.deepStrictEqual(sent(of(0), 20), [])
    assert.deepStrictEqual(sent(of(0), 1_019), [])
    assert.deepStrictEqual(sent(of(0), 1_020), ["idle"])
    assert.deepStrictEqual(sent(of(0), 9_000), [])
    assert.deepStrictEqual(sent(of(0, 1), 9_001), ["active"])
  })

  it("leave out a gap that is shorter than the wait", () => {
    const { sent } = make()
    assert.deepStrictEqual(sent(of(1), 0), ["active"])
    assert.deepStrictEqual(sent(of(0), 100), [])
    assert.deepStrictEqual(sent(of(1), 1_000), [])
    assert.deepStrictEqual(sent(of(0), 1_200), [])
    assert.deepStrictEqual(sent(of(0), 2_100), [])
    assert.deepStrictEqual(sent(of(0), 2_200), ["idle"])
  })

  it("give the state at a start, whatever was announced before", () => {
    assert.deepStrictEqual(make().sent(of(3), 0), ["active"])
    const { forget, sent } = make()
    assert.deepStrictEqual(sent(of(0), 0), [])
    assert.deepStrictEqual(sent(of(0), 1_000), ["idle"])
    forget()
    assert.deepStrictEqual(sent(of(0), 2_000), [])
    assert.deepStrictEqual(sent(of(0), 3_000), ["idle"])
  })

  it("are repeated until they are accepted, and the newest state replaces the one before", () => {
    const { sent } = make()
    assert.deepStrictEqual(sent(of(1), 0, false), ["active"])
    assert.deepStrictEqual(sent(of(1), 1, false), ["active"])
    assert.deepStrictEqual(sent(of(0), 10), [])
    assert.deepStrictEqual(sent(of(0), 1_010, false), ["idle"])
    // The receiver may have accepted what looked like a failure, so the first state is sent again.
    assert.deepStrictEqual(sent(of(1), 1_020), ["active"])
    assert.deepStrictEqual(sent(of(1), 1_030), [])
  })

  it("have one attempt under way for each model", () => {
    const { begin, end, look } = make()
    const [change] = look(of(1), 0)
    if (change === undefined) return assert.fail("nothing to announce")
    begin(change)
    assert.deepStrictEqual(look(of(1), 1), [])
    end(change, false)
    assert.lengthOf(look(of(1), 2), 1)
  })
})
