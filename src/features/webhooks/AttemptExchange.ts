/** One attempt as it was sent and answered: the body is the stored one, and the signature is made again. */
import { Effect } from "effect"
import { inlineLimit, type PayloadRef } from "#domain/PayloadRef.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Attempt, Delivery } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as ReceiverAnswer from "./ReceiverAnswer.ts"
import * as SignedRequest from "./SignedRequest.ts"

/** Why a text is not shown. `too_large`: above 64 KiB. `not_kept`: nothing was stored. `unreadable`: the store has lost it. */
export type Omitted = "erased" | "too_large" | "not_kept" | "unreadable"

type Text = { readonly text: string } | { readonly omitted: Omitted }

interface SentRequest {
  readonly url: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Text
  /** Bytes of the body. */
  readonly size: number
}

export interface AttemptExchange {
  /** From 1. */
  readonly number: number
  readonly attempt: Attempt
  readonly request: SentRequest
  /** `null` without a response. */
  readonly response: {
    readonly status: number
    readonly answer: ReceiverAnswer.ReceiverAnswer | { readonly omitted: Omitted }
  } | null
}

/** The attempt with this number, if it is among those that the delivery still knows. */
const attemptOf = ({ attempts, history }: Delivery, number: number): Attempt | undefined =>
  history[number - 1 - (attempts - history.length)]

export const make = Effect.gen(function* () {
  const payloads = yield* Payloads
  const sign = yield* SignedRequest.make

  const open = (id: DeliveryId, name: string, ref: PayloadRef) =>
    payloads.open(StreamName.make(WebhookDelivery.aggregate.category, id), name, ref).pipe(
      Effect.map((text) => ({ text })),
      Effect.catchTag("PayloadUnavailable", ({ reason }) =>
        Effect.succeed({ omitted: reason === "erased" ? reason : ("unreadable" as const) })
      )
    )

  const requestOf = Effect.fnUntraced(function* (id: DeliveryId, { scheduled }: Delivery, at: number) {
    const { accountId, payloads: refs, url } = scheduled
    const { size } = refs.body
    const body: Text =
      size > inlineLimit ? { omitted: "too_large" } : yield* open(id, WebhookDelivery.bodyName, refs.body)
    // Without the body there is nothing to sign.
    const { headers } = yield* sign(id, accountId, "text" in body ? body.text : "", at)
    const { "webhook-signature": _, ...unsigned } = headers
    return { url, headers: "text" in body ? headers : unsigned, body, size } satisfies SentRequest
  })

  const answerOf = Effect.fnUntraced(function* (id: DeliveryId, { answers }: Delivery, number: number) {
    const kept = answers.find(({ attempt }) => attempt === number)
    if (kept === undefined) return { omitted: "not_kept" as const }
    const opened = yield* open(id, kept.name, kept.ref)
    return "text" in opened ? yield* Effect.orDie(ReceiverAnswer.decode(opened.text)) : opened
  })

  /** `null` if the delivery has no such attempt, or no longer. */
  return Effect.fn("AttemptExchange.of")(function* (id: DeliveryId, delivery: Delivery, number: number) {
    const attempt = attemptOf(delivery, number)
    if (attempt === undefined) return null
    const request = yield* requestOf(id, delivery, attempt.at)
    const status = attempt.responseStatus
    const response = status === null ? null : { status, answer: yield* answerOf(id, delivery, number) }
    return { number, attempt, request, response } satisfies AttemptExchange
  })
})
