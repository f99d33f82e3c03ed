/**
 * The events of an account with many requests over 70 days: four models; of fifty requests one fails and one is cancelled; one
 * in ten shares its metadata with a hundred others. The same numbers produce the same events.
 */
import { AccountId, KeyId, makeTimeOrdered } from "#domain/Ids.ts"
import type { codec, Event } from "#domain/inference-request/Event.ts"
import { aggregate } from "#domain/inference-request/InferenceRequest.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import { trustedVersion } from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

export const accountId = AccountId.make("acc_0123456789abcdef")

export const models = ["sandbox/echo", "sandbox/slow", "acme/upscale", "acme/caption"].map((name) =>
  ModelEndpoint.make(name)
)

/** 2023-11-14T22:13:20Z, Unix time in ms. */
const from = 1_700_000_000_000
/** ms between two requests. */
const every = 6_000

/** Unix time in ms. */
export const createdAt = (request: number): number => from + request * every

/** Number of requests with the same customer. */
const customers = 1_000

export const customerOf = (request: number): string => `c-${Math.floor(request / 10) % customers}`

const price: Pricing.Price = {
  unit: "request",
  unitPrice: NanoUsd.make(1_000_000n),
  minimumCharge: NanoUsd.make(0n)
}
const quote = Pricing.quote(price, units(1), units(1))
const billing = { status: "charged", amount: NanoUsd.make(1_000_000n), units: units(1) } as const
const input = { hash: "h", size: 300 }

const end = (request: number, at: number): Event => {
  switch (request % 50) {
    case 7:
      return { _tag: "RequestFailed", at, attempt: 1, reason: "refused", message: "The run was refused." }
    case 21:
      return { _tag: "RequestCancelled", at, reason: "requested" }
    default:
      return { _tag: "RequestCompleted", at, attempt: 1, billing, error: null }
  }
}

const life = (request: number): ReadonlyArray<Event> => {
  const at = createdAt(request)
  return [
    {
      _tag: "RequestSubmitted",
      at,
      accountId,
      keyId: KeyId.make("key_0"),
      model: models[request % models.length] ?? ModelEndpoint.make("sandbox/echo"),
      modelVersion: "1",
      metadata: request % 10 === 0 ? { customer: customerOf(request) } : {},
      quote,
      retry: RetrySchedule.transportErrors,
      payloads: { input }
    },
    { _tag: "RequestStarted", at: at + 5, attempt: 1 },
    end(request, at + 900)
  ]
}

const idOf = (request: number): string => {
  const random = Buffer.alloc(10, request & 0xff)
  random.writeUInt32LE(Math.imul(request, 0x9e3779b1) >>> 0)
  return makeTimeOrdered({ millis: createdAt(request), counter: 0, random })
}

/** Events in the order of the log: each request ends before the next begins. */
export function* of(requests: number, { encode }: Pick<typeof codec, "encode">): Generator<RecordedEvent> {
  let position = 0
  for (let request = 0; request < requests; request++) {
    const stream = StreamName.make(aggregate.category, idOf(request))
    for (const [ordinal, event] of life(request).entries()) {
      const { data, time, type } = encode(event)
      yield new RecordedEvent(
        {
          position: GlobalPosition.trusted(String(++position)),
          stream,
          ordinal,
          version: trustedVersion(String(ordinal)),
          id: "",
          type,
          time,
          text: "",
          hash: ""
        },
        data
      )
    }
  }
}
