import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as MemoryBudget from "#src/kernel/limits/MemoryBudget.ts"

const taken = (lease: MemoryBudget.Lease | MemoryBudget.Full): MemoryBudget.Lease => {
  if (MemoryBudget.isFull(lease)) throw new Error(`It is full: ${lease}`)
  return lease
}

describe("MemoryBudget", () => {
  it("grants one account half of all, and the next half of the rest", () => {
    const budget = MemoryBudget.make(100)
    for (let times = 0; times < 5; times++) taken(budget.take("a", 10))
    assert.strictEqual(budget.take("a", 10), "account")
    taken(budget.take("b", 10))
    taken(budget.take("b", 10))
    assert.strictEqual(budget.take("b", 10), "account")
    taken(budget.take("c", 10))
    assert.strictEqual(budget.used(), 80)
  })

  it("grants an account without a lease the rest, and no more", () => {
    const budget = MemoryBudget.make(100)
    taken(budget.take("a", 60))
    assert.strictEqual(budget.take("b", 50), "node")
    taken(budget.take("b", 40))
    assert.strictEqual(budget.take("c", 1), "node")
  })

  it("grants more than its total when nothing is leased", () => {
    const budget = MemoryBudget.make(100)
    const lease = taken(budget.take("a", 1_000))
    assert.strictEqual(budget.take("b", 1), "node")
    lease.release()
    taken(budget.take("b", 1))
  })

  it("accepts the return of a lease once", () => {
    const budget = MemoryBudget.make(100)
    const lease = taken(budget.take("a", 40))
    taken(budget.take("b", 20))
    lease.release()
    lease.release()
    assert.strictEqual(budget.used(), 20)
  })

  it.effect("serves a waiting caller as soon as there is room, regardless of order", () =>
    Effect.gen(function* () {
      const budget = MemoryBudget.make(100)
      const large = taken(budget.take("a", 40))
      const small = taken(budget.take("b", 25))
      const first = yield* Effect.forkChild(budget.wait("a", 40), { startImmediately: true })
      const second = yield* Effect.forkChild(budget.wait("c", 50), { startImmediately: true })
      small.release()
      yield* Fiber.join(second)
      assert.isUndefined(first.pollUnsafe())
      large.release()
      yield* Fiber.join(first)
      assert.strictEqual(budget.used(), 90)
    })
  )

  it.effect("reserves nothing for a caller that has stopped waiting", () =>
    Effect.gen(function* () {
      const budget = MemoryBudget.make(100)
      const lease = taken(budget.take("a", 100))
      const waiting = yield* Effect.forkChild(budget.wait("b", 50), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      lease.release()
      assert.strictEqual(budget.used(), 0)
    })
  )
})
