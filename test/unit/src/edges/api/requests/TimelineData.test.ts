/** The public form of events: every type, by named fields, without internal ones. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { aggregate as InferenceRequest } from "#domain/inference-request/InferenceRequest.ts"
import type { Event as RequestEvent } from "#domain/inference-request/Event.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Event as DeliveryEvent } from "#domain/webhook-delivery/Event.ts"
import { aggregate as WebhookDelivery } from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as TimelineData from "#src/features/requests/views/TimelineData.ts"
import * as RequestLives from "#test/support/domain/inference-request/Lives.ts"
import * as Story from "#test/support/domain/inference-request/Story.ts"
import * as DeliveryLives from "#test/support/domain/webhook-delivery/Lives.ts"

const deliveryId = DeliveryId.make(`msg_${"x".repeat(22)}`)

const requestEvents: ReadonlyArray<RequestEvent> = [
  ...fc.sample(RequestLives.life, { numRuns: 500, seed: 11 }).flatMap((life) => RequestLives.play(life).log),
  Story.forceFailed(1)
]
const deliveryEvents: ReadonlyArray<DeliveryEvent> = DeliveryLives.someLives()
  .slice(0, 300)
  .flatMap((life) => DeliveryLives.play(life).log)

/** The log's record and its public form. */
const told: ReadonlyArray<{ readonly type: string; readonly data: JsonObject; readonly view: JsonObject }> = [
  ...requestEvents.map((event) => ({
    ...InferenceRequest.codec.encode(event),
    view: TimelineData.ofRequest({ ...event, ...({ unheardOf: "a secret" } as object) })
  })),
  ...deliveryEvents.map((event) => ({
    ...WebhookDelivery.codec.encode(event),
    view: TimelineData.ofDelivery(deliveryId, { ...event, ...({ unheardOf: "a secret" } as object) })
  }))
]

const ours: ReadonlySet<string> = new Set([
  "hash",
  "salt",
  "node",
  "jobId",
  "payloads",
  "accountId",
  "recoveryId"
])

/** Every key of the value, at any depth, with its value. */
function* entriesOf(value: unknown): Generator<readonly [string, unknown]> {
  if (typeof value !== "object" || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    yield [key, inner]
    yield* entriesOf(inner)
  }
}

describe("The view of an event", () => {
  it("exists for every type that a request and its deliveries have", () => {
    const seen = new Set(told.map(({ type }) => type))
    const types = [...InferenceRequest.codec.types, ...WebhookDelivery.codec.types]
    assert.deepStrictEqual(
      types.filter((type) => !seen.has(type)),
      []
    )
  })

  it("has no internal field or value, and no unknown field", () => {
    for (const { data, type, view } of told) {
      const text = JSON.stringify(view)
      assert.notInclude(text, "a secret", type)
      for (const [key] of entriesOf(view)) assert.isFalse(ours.has(key), `${type}: ${key}`)
      for (const [key, value] of entriesOf(data)) {
        if (ours.has(key) && typeof value === "string") assert.notInclude(text, JSON.stringify(value), type)
      }
    }
  })

  it("hides what only operators may see of a retried run", () => {
    const [requeued] = told.filter(({ data, type }) => type === "RequestRequeued" && data["message"] !== null)
    assert.isDefined(requeued)
    assert.hasAllKeys(requeued?.view, ["attempt", "reason", "dueAt"])
  })
})
