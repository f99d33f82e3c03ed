import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import * as DeliveryId from "#domain/webhook-delivery/DeliveryId.ts"

const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url")

const idOf = (requestId: string, event: WebhookEventName) =>
  DeliveryId.of(RequestId.make(requestId), event, sha256)

const requestId = fc.stringMatching(/^[A-Za-z0-9_-]{21}$/)
const event = fc.constantFrom<WebhookEventName>("start", "completed")

const isId = Schema.is(DeliveryId.DeliveryId)

describe("The id of a delivery", () => {
  it("is `msg_` and 22 characters that are safe in a path and in a header", () => {
    fc.assert(
      fc.property(requestId, event, (requestId, event) => {
        const id = idOf(requestId, event)
        assert.match(id, /^msg_[A-Za-z0-9_-]{22}$/)
        assert.strictEqual(id.length, 26)
        assert.isTrue(isId(id))
      })
    )
  })

  it("is equal for the same event of the same request, and otherwise different", () => {
    fc.assert(
      fc.property(requestId, requestId, event, event, (one, other, oneEvent, otherEvent) => {
        const isSame = one === other && oneEvent === otherEvent
        assert.strictEqual(idOf(one, oneEvent) === idOf(other, otherEvent), isSame)
        assert.strictEqual(idOf(one, oneEvent), idOf(one, oneEvent))
        assert.notStrictEqual(idOf(one, "start"), idOf(one, "completed"))
      })
    )
  })

  // If ids changed with a release, receivers would get repeats under new ids.
  it("is the same in every release", () => {
    assert.strictEqual(idOf("rq0000000000000000001", "completed"), "msg_l1_vuaTL7lh7bTJuTQe5D9")
    assert.strictEqual(idOf("rq0000000000000000001", "start"), "msg_uduou8koaGgi-R4czOnYKM")
  })

  it("rejects everything else", () => {
    const body = "0123456789abcdefghij-_"
    assert.isTrue(isId(`msg_${body}`))
    for (const text of [
      "",
      body,
      `msg_${body}0`,
      `msg_${body.slice(1)}`,
      `msg_${body}\n`,
      `MSG_${body}`,
      `msg_${body.slice(1)}=`,
      `msg_${body.slice(1)}/`,
      `msg_${body.slice(1)}.`,
      ` msg_${body}`
    ]) {
      assert.isFalse(isId(text), text)
    }
  })
})
