/** Deliveries in every state, moved there by commands at times that the test chooses. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import * as Account from "#domain/account/Account.ts"
import { KeyId, RequestId } from "#domain/Ids.ts"
import type { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { AttemptResult } from "#domain/webhook-delivery/Command.ts"
import * as DeliveryId from "#domain/webhook-delivery/DeliveryId.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import * as Payload from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import { call } from "./Calls.ts"

export const accountOf = (keyId: string) => Account.accountOf(KeyId.make(keyId), ApiKey.sha256Hex)

export interface Owed {
  /** The id of the account's first key. */
  readonly account?: string
  readonly requestId?: RequestId
  readonly event?: WebhookEventName
  /** Unix time in ms, like all times here; by default the start of 2026. */
  readonly at?: number
}

export const start = Date.parse("2026-01-05T12:00:00Z")

const anyRequest = () => RequestId.make(`rq${crypto.randomBytes(16).toString("hex").slice(0, 19)}`)

/** Waiting to be sent since `at`. */
export const pending = Effect.fnUntraced(function* ({
  account = "alpha",
  at = start,
  event = "completed",
  requestId = anyRequest()
}: Owed = {}) {
  const actors = yield* DeliveryActors
  const accountId = accountOf(account)
  const id = DeliveryId.of(requestId, event, (text) => crypto.hash("sha256", text, "base64url"))
  const stream = StreamName.make(WebhookDelivery.aggregate.category, id)
  const payloads = yield* Payload.Payloads
  const body = yield* payloads.seal({
    owner: accountId,
    stream,
    name: "body",
    text: JSON.stringify({ id: requestId })
  })
  const url = "https://hooks.acme.dev/x"
  const delivery = { at, accountId, requestId, event, url, payloads: { body: Payload.refOf(body) } }
  yield* actors.execute(id, { _tag: "Schedule", delivery, node: null }, [body])
  return id
})

/** Being sent since `at`. */
export const delivering = Effect.fnUntraced(function* (owed: Owed = {}) {
  const id = yield* pending(owed)
  yield* begin(id, owed.at)
  return id
})

export const begin = (id: string, at = start) =>
  Effect.flatMap(DeliveryActors, (actors) => actors.execute(id, { _tag: "StartAttempt", at, node: "test" }))

/** Ends the current attempt, with that number, 20 ms after `at`. */
export const end = (id: string, result: AttemptResult, { at = start, attempt = 1 } = {}) =>
  Effect.flatMap(DeliveryActors, (actors) =>
    actors.execute(id, { _tag: "RecordAttempt", at: at + 20, attempt, durationMs: 20, result })
  )

const ended = (result: AttemptResult) =>
  Effect.fnUntraced(function* (owed: Owed = {}) {
    const id = yield* delivering(owed)
    yield* end(id, result, owed.at === undefined ? {} : { at: owed.at })
    return id
  })

export const delivered = ended({ _tag: "Succeeded", responseStatus: 204 })

/** Fails permanently at once. */
export const failed = ended({ _tag: "Failed", responseStatus: 410, error: "gone" })

/** Due again 5 s later. */
export const waiting = ended({ _tag: "Failed", responseStatus: 503, error: "http_503" })

export const erased = Effect.fnUntraced(function* (owed: Owed = {}) {
  const id = yield* failed(owed)
  yield* (yield* DeliveryActors).execute(id, { _tag: "Erase", at: (owed.at ?? start) + 30 })
  return id
})

export const list = (query = "", headers: Readonly<Record<string, string>> = {}) =>
  call({ path: `/webhooks/deliveries${query}`, headers })

export const get = (id: string) => call({ path: `/webhooks/deliveries/${id}` })

export const replay = (id: string) => call({ method: "POST", path: `/webhooks/deliveries/${id}/replay` })
