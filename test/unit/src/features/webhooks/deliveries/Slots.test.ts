/** The choice of lanes, by counting alone. */
import { assert, describe, it } from "@effect/vitest"
import { Array } from "effect"
import * as fc from "fast-check"
import type { DeliveryLimits } from "#src/features/webhooks/deliveries/DeliveryLimits.ts"
import * as Slots from "#src/features/webhooks/deliveries/Slots.ts"

const limits: DeliveryLimits = {
  inAll: 20,
  perAccount: 15,
  silent: 12,
  silentPerAccount: 10,
  perSilentLane: 1,
  perLane: 6,
  perReceiver: 7,
  bytes: 1_000,
  bytesPerAccount: 1_000,
  bytesPerReceiver: 1_000
}

const to = (origin: string, accountId = "acc", bytes = 1): Slots.Load => ({ origin, accountId, bytes })

/** Takes the available slots for the target, at most `most`. */
const takeAll = (slots: Slots.Slots, target: Slots.Load, most = 100) => {
  let taken = 0
  while (taken < most && slots.take(target)) taken++
  return taken
}

const giveBack = (slots: Slots.Slots, target: Slots.Load, answered: boolean | null, count: number) => {
  for (let index = 0; index < count; index++) slots.giveBack(target, answered)
}

/** The number of answers that widen the lane's window to `size`. */
const open = (slots: Slots.Slots, load: Slots.Load, size: number) => {
  for (let count = 1; count < size; count++) {
    assert.isTrue(slots.take(load))
    slots.giveBack(load, true)
  }
}

describe("A lane's window", () => {
  it("starts at one, grows by one with every answer, and stops at the limit", () => {
    const slots = Slots.make(limits)
    const a = to("a")
    let held = takeAll(slots, a)
    assert.strictEqual(held, 1)
    for (const window of [2, 3, 4, 5, 6, 6, 6]) {
      slots.giveBack(a, true)
      held += takeAll(slots, a) - 1
      assert.strictEqual(held, window)
    }
  })

  it("is one after a silence, whatever it was, and grows again from there", () => {
    const slots = Slots.make(limits)
    const a = to("a")
    open(slots, a, 6)
    assert.strictEqual(takeAll(slots, a), 6)
    slots.giveBack(a, false)
    assert.strictEqual(takeAll(slots, a), 0)
    giveBack(slots, a, false, 5)
    assert.strictEqual(takeAll(slots, a), 1)
    slots.giveBack(a, true)
    assert.strictEqual(takeAll(slots, a), 2)
  })

  it("that is silent is wider when few are silent, in its account and in total", () => {
    const slots = Slots.make({
      ...limits,
      inAll: 300,
      perAccount: 300,
      silent: 200,
      silentPerAccount: 192,
      perSilentLane: 4
    })
    assert.strictEqual(takeAll(slots, to("a")), 3)
    assert.deepStrictEqual(slots.closed().lanes, [["acc", "a"]])
    assert.strictEqual(takeAll(slots, to("b")), 1)
    assert.strictEqual(takeAll(slots, to("a", "other")), 3)
    slots.giveBack(to("b"), null)
    slots.giveBack(to("a"), false)
    assert.deepStrictEqual(slots.closed().lanes, [["other", "a"]])
    assert.strictEqual(takeAll(slots, to("a")), 1)
    const accounts = Array.makeBy(30, (index) => to("a", `acc${index}`))
    const widths = accounts.map((load) => takeAll(slots, { ...load, origin: load.accountId }))
    assert.deepStrictEqual([widths[0], widths.at(-1)], [3, 1])
    assert.isAtMost(
      widths.reduce((sum, width) => sum + width, 0),
      25 + 3 + 30
    )
  })

  it("does not change for unknown results", () => {
    const slots = Slots.make(limits)
    const a = to("a")
    open(slots, a, 3)
    giveBack(slots, a, null, takeAll(slots, a))
    assert.strictEqual(takeAll(slots, a), 3)
  })

  it("is independent of other accounts at the same receiver", () => {
    const slots = Slots.make(limits)
    const [one, two] = [to("a", "one"), to("a", "two")]
    open(slots, two, 4)
    assert.isTrue(slots.take(one))
    slots.giveBack(one, false)
    assert.strictEqual(takeAll(slots, two), 4)
    assert.strictEqual(takeAll(slots, one), 1)
  })

  it("is reported as closed exactly while it is used up", () => {
    const slots = Slots.make(limits)
    const a = to("a")
    takeAll(slots, a)
    assert.deepStrictEqual(slots.closed(), { accounts: [], receivers: [], lanes: [["acc", "a"]] })
    assert.isFalse(slots.isOpen(a))
    slots.giveBack(a, null)
    assert.deepStrictEqual(slots.closed(), { accounts: [], receivers: [], lanes: [] })
    assert.isTrue(slots.isOpen(a))
  })
})

describe("A receiver", () => {
  it("gets a limited number of deliveries at once, over all accounts", () => {
    const slots = Slots.make(limits)
    const [one, two] = [to("a", "one"), to("a", "two")]
    open(slots, one, 4)
    open(slots, two, 4)
    assert.strictEqual(takeAll(slots, one) + takeAll(slots, two), 7)
    assert.deepStrictEqual(slots.closed().receivers, ["a"])
    slots.giveBack(one, true)
    assert.deepStrictEqual(slots.closed().receivers, [])
    assert.strictEqual(takeAll(slots, two), 1)
  })
})

/** Takes one slot in each of this many lanes and reports each as unanswered. */
const silence = (slots: Slots.Slots, count: number, accountId = "acc") => {
  const silent = Array.makeBy(count, (index) => to(`silent ${index}`, accountId))
  for (const load of silent) {
    assert.isTrue(slots.take(load))
    slots.giveBack(load, false)
  }
  return silent
}

const takeEach = (slots: Slots.Slots, loads: ReadonlyArray<Slots.Load>) =>
  loads.filter((load) => slots.take(load))

describe("Slots", () => {
  it("are bounded in total, and are available again when returned", () => {
    const slots = Slots.make(limits)
    const loads = Array.makeBy(30, (index) => to(`r${index}`, `acc${index % 3}`))
    for (const load of loads) open(slots, load, 2)
    const taken = takeEach(slots, loads)
    assert.lengthOf(taken, 20)
    assert.strictEqual(slots.free(), 0)
    const [first] = taken
    if (first === undefined) return assert.fail("nothing was taken")
    slots.giveBack(first, true)
    assert.strictEqual(slots.free(), 1)
    assert.isTrue(slots.take(loads[25] ?? first))
  })

  it("of one account leave some to others", () => {
    const slots = Slots.make(limits)
    const flood = Array.makeBy(30, (index) => to(`r${index}`, "flood"))
    for (const load of flood) open(slots, load, 2)
    assert.lengthOf(takeEach(slots, flood), 15)
    assert.deepStrictEqual(slots.closed().accounts, ["flood"])
    assert.isTrue(slots.take(to("quiet", "quiet")))
  })

  it("of lanes without an answer leave some to lanes with one", () => {
    const slots = Slots.make(limits)
    const live = to("live")
    open(slots, live, 3)
    const silent = silence(slots, 15)
    const taken = takeEach(slots, silent)
    assert.lengthOf(taken, 10)
    assert.sameDeepMembers(
      [...slots.closed().lanes],
      silent.map(({ accountId, origin }) => [accountId, origin] as const)
    )
    assert.isFalse(slots.take(to("never tried")))
    assert.strictEqual(takeAll(slots, live), 3)
    const [first] = taken
    if (first === undefined) return assert.fail("nothing was taken")
    slots.giveBack(first, true)
    assert.isTrue(slots.take(first))
    assert.isTrue(slots.take(silent[12] ?? first))
    assert.isFalse(slots.take(silent[13] ?? first))
  })

  it("of such lanes of one account leave some to other accounts", () => {
    const slots = Slots.make(limits)
    const fresh = (accountId: string) => Array.makeBy(30, (index) => to(`r${index}`, accountId))
    assert.lengthOf(takeEach(slots, fresh("one")), 10)
    assert.lengthOf(takeEach(slots, fresh("two")), 2)
    assert.strictEqual(slots.free(), 8)
  })

  it("are bounded by the bytes of their bodies; a larger body runs alone", () => {
    const slots = Slots.make(limits)
    assert.isTrue(slots.take(to("a", "acc", 600)))
    assert.isFalse(slots.take(to("b", "acc", 401)))
    assert.isTrue(slots.takeBytes(to("b", "acc", 400)))
    assert.isFalse(slots.take(to("b", "acc", 1)))
    slots.giveBackBytes(to("b", "acc", 400))
    slots.giveBack(to("a", "acc", 600), true)
    assert.isTrue(slots.take(to("b", "acc", 5_000)))
    assert.isFalse(slots.takeBytes(to("a")))
    slots.giveBack(to("b", "acc", 5_000), true)
    assert.isTrue(slots.takeBytes(to("a")))
  })

  it("return a body's temporary memory once it is built", () => {
    const slots = Slots.make(limits)
    const load = to("a", "acc", Slots.whileMade(200))
    assert.isTrue(slots.take(load))
    assert.isFalse(slots.take(to("b", "other", 201)))
    const left = slots.made(load)
    assert.strictEqual(left.bytes, 200)
    assert.isTrue(slots.take(to("b", "other", 800)))
    assert.isFalse(slots.takeBytes(to("c", "third", 1)))
    slots.giveBack(left, true)
    assert.isTrue(slots.takeBytes(to("c", "third", 200)))
  })

  it("leave memory to other accounts and receivers; each may use at least one body", () => {
    const slots = Slots.make({ ...limits, bytesPerAccount: 600, bytesPerReceiver: 400 })
    assert.isTrue(slots.take(to("a", "one", 300)))
    assert.isFalse(slots.takeBytes(to("a", "two", 101)))
    assert.isTrue(slots.takeBytes(to("b", "one", 300)))
    assert.isFalse(slots.takeBytes(to("c", "one", 1)))
    assert.isTrue(slots.takeBytes(to("c", "two", 400)))
    assert.isFalse(slots.takeBytes(to("d", "three", 1)))
  })

  it("respect every limit and lose no slot, in any order of use", () => {
    const step = fc.record({
      origin: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      accountId: fc.constantFrom("one", "two"),
      bytes: fc.constantFrom(1, 90, 300),
      answered: fc.constantFrom(true, false, null),
      takes: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const slots = Slots.make(limits)
        const held: Array<Slots.Load> = []
        const most = <Key extends "origin" | "accountId">(key: Key) =>
          Math.max(0, ...held.map((one) => held.filter((other) => other[key] === one[key]).length))
        for (const { answered, takes, ...target } of steps) {
          if (takes && slots.take(target)) held.push(target)
          const given = takes ? undefined : held.shift()
          if (given !== undefined) slots.giveBack(given, answered)
          assert.strictEqual(slots.free(), limits.inAll - held.length)
          assert.isAtMost(most("origin"), limits.perReceiver)
          assert.isAtMost(most("accountId"), limits.perAccount)
          assert.isAtMost(
            held.reduce((sum, { bytes }) => sum + bytes, 0),
            limits.bytes
          )
        }
        for (const target of held.splice(0)) slots.giveBack(target, true)
        assert.strictEqual(slots.free(), limits.inAll)
        assert.deepStrictEqual(slots.closed(), { accounts: [], receivers: [], lanes: [] })
        for (const origin of ["a", "b", "c", "d", "e", "f"]) assert.isTrue(slots.take(to(origin)))
      })
    )
  })
})
