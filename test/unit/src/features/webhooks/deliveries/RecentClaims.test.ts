import { assert, it } from "@effect/vitest"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import * as RecentClaims from "#src/features/webhooks/deliveries/RecentClaims.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"

const id = (letter: string) => DeliveryId.make(`msg_${letter.repeat(22)}`)
const at = (position: number) => GlobalPosition.make(String(position))

it("Claims are forgotten once the read model shows them", () => {
  const recent = RecentClaims.make()
  recent.add(id("a"), at(9))
  recent.add(id("b"), at(10))
  recent.add(id("c"), at(11))
  assert.deepStrictEqual(recent.after(at(8)), [id("a"), id("b"), id("c")])
  assert.deepStrictEqual(recent.after(at(10)), [id("c")])
  assert.deepStrictEqual(recent.after(at(9)), [id("c")])
  assert.deepStrictEqual(recent.after(at(11)), [])
})
