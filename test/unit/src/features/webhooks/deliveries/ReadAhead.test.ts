import { assert, describe, it } from "@effect/vitest"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { DueDelivery } from "#projections/deliveries/DueDeliveries.ts"
import * as ReadAhead from "#src/features/webhooks/deliveries/ReadAhead.ts"

const row = (
  number: number,
  origin = "https://a.example",
  account = "acc_0123456789abcdef"
): DueDelivery => ({
  deliveryId: DeliveryId.make(`msg_${String(number).padStart(22, "0")}`),
  accountId: AccountId.make(account),
  requestId: RequestId.make("rq00000000000-0000000"),
  origin,
  dueAt: 0
})

const numberOf = ({ deliveryId }: DueDelivery) => Number(deliveryId.slice(4))

/** Accepts so many deliveries of each receiver. */
const upTo = (counts: Record<string, number>) => {
  const left = new Map(Object.entries(counts))
  return (due: DueDelivery) => {
    const count = left.get(due.origin) ?? 0
    if (count === 0) return null
    left.set(due.origin, count - 1)
    return numberOf(due)
  }
}

const yes = () => true
const no = () => false

describe("Deliveries that wait for a slot", () => {
  it("leave in their order, each lane as far as it has room", () => {
    const ahead = ReadAhead.make()
    const b = "https://b.example"
    ahead.add([row(1), row(2, b), row(3), row(4, b), row(5)])
    assert.deepStrictEqual(ahead.next(upTo({ "https://a.example": 1, [b]: 2 }), yes), [1, 2, 4])
    assert.strictEqual(ahead.size(), 2)
    ahead.add([row(6)])
    assert.deepStrictEqual(ahead.next(upTo({ "https://a.example": 9 }), yes), [3, 5, 6])
    assert.strictEqual(ahead.size(), 0)
  })

  it("are asked for no more once their lane has no room", () => {
    const ahead = ReadAhead.make()
    ahead.add([row(1), row(2), row(3)])
    let asked = 0
    const refuse = () => {
      asked++
      return null
    }
    assert.deepStrictEqual(ahead.next(refuse, yes), [])
    assert.strictEqual(asked, 1)
  })

  it("are dropped when their lane may not wait", () => {
    const ahead = ReadAhead.make()
    ahead.add([row(1), row(2), row(3)])
    assert.deepStrictEqual(ahead.next(upTo({ "https://a.example": 1 }), no), [1])
    assert.deepStrictEqual([ahead.size(), ahead.deliveries()], [0, []])
  })

  it("make their lane full when there are many", () => {
    const ahead = ReadAhead.make()
    const rows = Array.from({ length: 40 }, (_, index) => row(index))
    ahead.add(rows)
    assert.deepStrictEqual(ahead.fullLanes(), [["acc_0123456789abcdef", "https://a.example"]])
    ahead.next(upTo({ "https://a.example": 20 }), yes)
    assert.deepStrictEqual(ahead.fullLanes(), [])
  })
})
