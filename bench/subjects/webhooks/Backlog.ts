/** Appends many scheduled deliveries directly to the store without sending them. */
import type { AccountId } from "#domain/Ids.ts"
import { RequestId } from "#domain/Ids.ts"
import { codec } from "#domain/webhook-delivery/Event.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as DeliveryIds from "#src/features/requests/DeliveryIds.ts"
import type { Append } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import type { IdGenerator } from "#streams/IdGenerator.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import * as StreamName from "#streams/StreamName.ts"

const salt = "AAAAAAAAAAAAAAAAAAAAAA"
const event = "completed"

/** About 300 bytes. */
export const bodyOf = (requestId: string): string =>
  JSON.stringify({
    created_at: "2026-01-01T00:00:00.000Z",
    event,
    request_id: requestId,
    payload: {
      url: "https://media.example.com/a-lighthouse-at-dusk.png",
      note: "seen from the water ".repeat(5)
    }
  })

export interface Owed {
  readonly accountId: AccountId
  readonly url: string
  /** When the first attempt is due, Unix time in ms. */
  readonly dueAt: number
}

/** Bypasses `Payloads.seal`, which caches the text in memory: due deliveries must be read from the log. */
const seal = (text: string): SealedPayload => ({
  name: WebhookDelivery.bodyName,
  salt,
  size: Buffer.byteLength(text),
  hash: Payload.hash(salt, text),
  content: { _tag: "Inline", text }
})

/** The first append of a new stream. */
export const appendOf = (ids: IdGenerator["Service"], { accountId, dueAt, url }: Owed): Append => {
  const requestId = RequestId.make(ids.next())
  const body = seal(bodyOf(requestId))
  const payloads = { body: Payload.refOf(body) }
  const { data, time, type } = codec.encode({
    _tag: "DeliveryScheduled",
    at: dueAt,
    accountId,
    requestId,
    event,
    url,
    payloads
  })
  return {
    stream: StreamName.make(WebhookDelivery.aggregate.category, DeliveryIds.of(requestId, event)),
    expected: ExpectedVersion.NoStream,
    events: [{ id: ids.next(), type, time, data }],
    payloads: [body]
  }
}
