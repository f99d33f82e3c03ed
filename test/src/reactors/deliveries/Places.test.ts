/** Whose turn it is to be sent to, by counting alone. */
import { assert, describe, it } from "@effect/vitest"
import { Array } from "effect"
import * as fc from "fast-check"
import type { DeliveryLimits } from "#src/reactors/deliveries/DeliveryLimits.ts"
import * as Places from "#src/reactors/deliveries/Places.ts"

const limits: DeliveryLimits = {
  inAll: 20,
  perAccount: 15,
  silent: 10,
  perReceiver: 6,
  firstWindow: 3,
  bytes: 1_000
}

const to = (origin: string, accountId = "acc", bytes = 1): Places.Target => ({ origin, accountId, bytes })

/** Takes what there is for the target, at most `most`. */
const takeAll = (places: Places.Places, target: Places.Target, most = 100) => {
  let taken = 0
  while (taken < most && places.take(target)) taken++
  return taken
}

const giveBack = (places: Places.Places, target: Places.Target, answered: boolean | null, count: number) => {
  for (let index = 0; index < count; index++) places.giveBack(target, answered)
}

describe("A receiver's window", () => {
  it("is small at first, grows by one with every answer, and ends at the limit", () => {
    const places = Places.make(limits)
    const a = to("a")
    let held = takeAll(places, a)
    assert.strictEqual(held, 3)
    for (const window of [4, 5, 6, 6, 6]) {
      places.giveBack(a, true)
      held += takeAll(places, a) - 1
      assert.strictEqual(held, window)
    }
  })

  it("is one after none, whatever it was, and grows again from there", () => {
    const places = Places.make(limits)
    const a = to("a")
    takeAll(places, a)
    giveBack(places, a, true, 3)
    assert.strictEqual(takeAll(places, a), 6)
    places.giveBack(a, false)
    assert.strictEqual(takeAll(places, a), 0)
    giveBack(places, a, false, 5)
    assert.strictEqual(takeAll(places, a), 1)
    places.giveBack(a, true)
    assert.strictEqual(takeAll(places, a), 2)
  })

  it("is not changed by what did not become known", () => {
    const places = Places.make(limits)
    const a = to("a")
    giveBack(places, a, null, takeAll(places, a))
    assert.strictEqual(takeAll(places, a), 3)
  })

  it("is shared by all accounts that have webhooks there", () => {
    const places = Places.make(limits)
    assert.strictEqual(takeAll(places, to("a", "one"), 2), 2)
    assert.strictEqual(takeAll(places, to("a", "two")), 1)
  })

  it("is told to be full while it is, and no longer", () => {
    const places = Places.make(limits)
    const a = to("a")
    takeAll(places, a)
    assert.deepStrictEqual(places.full(), ["a"])
    places.giveBack(a, null)
    assert.deepStrictEqual(places.full(), [])
  })
})

/** Takes one place at each of so many receivers, and says that none of them has answered. */
const silence = (places: Places.Places, count: number, accountId = "acc") => {
  const silent = Array.makeBy(count, (index) => to(`silent ${index}`, accountId))
  for (const target of silent) {
    assert.isTrue(places.take(target))
    places.giveBack(target, false)
  }
  return silent
}

describe("Places", () => {
  it("are bounded in all, and are there again when they are given back", () => {
    const places = Places.make(limits)
    const targets = Array.makeBy(30, (index) => to(`r${index}`, `acc${index % 3}`))
    const taken = targets.filter((target) => places.take(target))
    assert.lengthOf(taken, 20)
    assert.strictEqual(places.free(), 0)
    const [first] = taken
    if (first === undefined) return assert.fail("nothing was taken")
    places.giveBack(first, true)
    assert.strictEqual(places.free(), 1)
    assert.isTrue(places.take(to("another")))
  })

  it("of one account leave some to others, whatever it has", () => {
    const places = Places.make(limits)
    const flood = Array.makeBy(30, (index) => to(`r${index}`, "flood"))
    assert.lengthOf(
      flood.filter((target) => places.take(target)),
      15
    )
    assert.strictEqual(takeAll(places, to("quiet", "quiet")), 3)
  })

  it("of receivers that do not answer leave some to those that do", () => {
    const places = Places.make(limits)
    const silent = silence(places, 15)
    const taken = silent.filter((target) => places.take(target))
    assert.lengthOf(taken, 10)
    assert.sameMembers(
      [...places.full()],
      silent.map(({ origin }) => origin)
    )
    assert.strictEqual(takeAll(places, to("live")), 3)
    places.giveBack(taken[0] ?? to("none"), true)
    assert.isTrue(places.take(taken[0] ?? to("none")))
    assert.isTrue(places.take(silent[12] ?? to("none")))
    assert.isFalse(places.take(silent[13] ?? to("none")))
  })

  it("are bounded by the bytes of their bodies; a larger one is alone", () => {
    const places = Places.make(limits)
    assert.isTrue(places.take(to("a", "acc", 600)))
    assert.isFalse(places.take(to("b", "acc", 401)))
    assert.isTrue(places.takeBytes(400))
    assert.isFalse(places.take(to("b", "acc", 1)))
    places.giveBackBytes(400)
    places.giveBack(to("a", "acc", 600), true)
    assert.isTrue(places.take(to("b", "acc", 5_000)))
    assert.isFalse(places.takeBytes(1))
    places.giveBack(to("b", "acc", 5_000), true)
    assert.isTrue(places.takeBytes(1))
  })

  it("hold every bound and lose none, whatever is taken and given back", () => {
    const step = fc.record({
      origin: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      accountId: fc.constantFrom("one", "two"),
      bytes: fc.constantFrom(1, 90, 300),
      answered: fc.constantFrom(true, false, null),
      takes: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const places = Places.make(limits)
        const held: Array<Places.Target> = []
        const most = <Key extends "origin" | "accountId">(key: Key) =>
          Math.max(0, ...held.map((one) => held.filter((other) => other[key] === one[key]).length))
        for (const { answered, takes, ...target } of steps) {
          if (takes && places.take(target)) held.push(target)
          const given = takes ? undefined : held.shift()
          if (given !== undefined) places.giveBack(given, answered)
          assert.strictEqual(places.free(), limits.inAll - held.length)
          assert.isAtMost(most("origin"), limits.perReceiver)
          assert.isAtMost(most("accountId"), limits.perAccount)
          assert.isAtMost(
            held.reduce((sum, { bytes }) => sum + bytes, 0),
            limits.bytes
          )
        }
        for (const target of held.splice(0)) places.giveBack(target, true)
        assert.strictEqual(places.free(), limits.inAll)
        assert.deepStrictEqual(places.full(), [])
        for (const origin of ["a", "b", "c", "d", "e", "f"]) assert.isTrue(places.take(to(origin)))
      })
    )
  })
})
