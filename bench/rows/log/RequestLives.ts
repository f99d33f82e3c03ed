/**
 * Realistic request lives: submitted, dispatched, started, an output, completed, interleaved with other requests. One in
 * fifty is retried and one is cancelled. The same numbers produce the same events.
 */
import { Array } from "effect"
import type { EncodedEvent } from "#domain/EventCodec.ts"
import { AccountId, KeyId, makeTimeOrdered } from "#domain/Ids.ts"
import { codec, type Event } from "#domain/inference-request/Event.ts"
import { aggregate } from "#domain/inference-request/InferenceRequest.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import * as RetrySchedule from "#domain/RetrySchedule.ts"
import type { Append } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as Payload from "#streams/Payload.ts"
import type { SealedPayload } from "#streams/SealedPayload.ts"
import type { EventData } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"

/** 2023-11-14T22:13:20Z, Unix time in ms. */
const t0 = 1_700_000_000_000
const requestsPerMilli = 4
const eventsPerMilli = 16
/** Number of requests that are submitted between two steps of one request. */
const stepsApart = 16

/** One append to the stream of a request. */
interface Step {
  readonly events: Array.NonEmptyReadonlyArray<EncodedEvent>
  readonly payloads: ReadonlyArray<SealedPayload>
}

const step = (
  events: Array.NonEmptyReadonlyArray<Event>,
  payloads: ReadonlyArray<SealedPayload> = []
): Step => ({ events: Array.map(events, codec.encode), payloads })

const sealed = (name: string, text: string): SealedPayload => {
  const salt = "AAAAAAAAAAAAAAAAAAAAAA"
  const size = Buffer.byteLength(text)
  return { name, salt, size, hash: Payload.hash(salt, text), content: { _tag: "Inline", text } }
}
const input = sealed("input", JSON.stringify({ prompt: "a lighthouse at dusk ".repeat(12) }))
const output = sealed("output", JSON.stringify({ url: "https://example.com/media/a-lighthouse-at-dusk.png" }))

const price: Pricing.Price = {
  unit: "request",
  unitPrice: NanoUsd.make(1_000_000n),
  minimumCharge: NanoUsd.make(0n)
}

/** Submits of an account to a model differ only in ids and times, so the rest is encoded once. */
type Submissions = Array.NonEmptyReadonlyArray<Step>

export const submissionsOf = (
  models: Array.NonEmptyReadonlyArray<string>,
  accounts: Array.NonEmptyReadonlyArray<string>
): Submissions =>
  Array.flatMap(models, (model) =>
    Array.map(accounts, (account) =>
      step(
        [
          {
            _tag: "RequestSubmitted",
            at: t0,
            accountId: AccountId.make(account),
            keyId: KeyId.make("key_0"),
            model: ModelEndpoint.make(model),
            modelVersion: "1",
            metadata: { team: "blue" },
            quote: Pricing.quote(price, units(1), units(1)),
            retry: RetrySchedule.transportErrors,
            payloads: { input: Payload.refOf(input) }
          }
        ],
        [input]
      )
    )
  )

const submissions = submissionsOf(
  ["sandbox/echo", "sandbox/slow", "acme/upscale", "acme/caption"],
  Array.makeBy(16, (account) => `acc_${String(account).padStart(16, "0")}`)
)

const dispatched = (attempt: number): Step =>
  step([{ _tag: "DispatchStarted", at: t0, attempt, provider: "builtin", node: "node-1" }])

const charged = (attempt: number): ReadonlyArray<Step> => {
  const billing = { status: "charged", amount: NanoUsd.make(1_000_000n), units: units(1) } as const
  const payloads = { output: Payload.refOf(output) }
  return [
    dispatched(attempt),
    step([{ _tag: "RequestStarted", at: t0, attempt }]),
    step(
      [
        { _tag: "OutputReceived", at: t0, attempt, delivered: units(1), payloads },
        { _tag: "RequestCompleted", at: t0, attempt, billing, error: null }
      ],
      [output]
    )
  ]
}

const chargedAtOnce = charged(1)
const chargedLater = [
  dispatched(1),
  step([{ _tag: "RequestRequeued", at: t0, attempt: 1, reason: "rate_limited", message: null, dueAt: t0 }]),
  ...charged(2)
]
const cancelled = [
  step([
    { _tag: "CancelRequested", at: t0 },
    { _tag: "RequestCancelled", at: t0, reason: "requested" }
  ])
]

const submission = (request: number, submissions: Submissions): Step =>
  Array.getUnsafe(submissions, (Math.imul(request, 0x9e3779b1) >>> 26) % submissions.length)

const life = (request: number, submissions: Submissions): Array.NonEmptyReadonlyArray<Step> => {
  switch (request % 50) {
    case 7:
      return [submission(request, submissions), ...chargedLater]
    case 21:
      return [submission(request, submissions), ...cancelled]
    default:
      return [submission(request, submissions), ...chargedAtOnce]
  }
}

/** An id in the form of `IdGenerator`. */
const idOf = (number: number, perMilli: number, from: number): string => {
  const random = Buffer.alloc(10, number & 0xff)
  random.writeUInt32LE(Math.imul(number, 0x9e3779b1) >>> 0)
  return makeTimeOrdered({ millis: from + Math.floor(number / perMilli), counter: number % perMilli, random })
}

/** The stream of the request with that number, from 0. `from` is the time of the first, Unix time in ms. */
export const streamOf = (request: number, from = t0): StreamName.StreamName =>
  StreamName.make(aggregate.category, idOf(request, requestsPerMilli, from))

const afterOrdinal = (ordinal: number): ExpectedVersion.ExpectedVersion =>
  ordinal < 0
    ? ExpectedVersion.NoStream
    : ExpectedVersion.exactly(ExpectedVersion.trustedVersion(String(ordinal)))

/** Gives every event of a log its own id. */
const makeNumbering = (from: number) => {
  let events = 0
  return ({ type, data }: EncodedEvent, time: number): EventData => ({
    id: idOf(events++, eventsPerMilli, from),
    type,
    time,
    data
  })
}

/** How long it takes until so many requests are submitted, ms. */
export const spanOf = (requests: number): number => Math.ceil(requests / requestsPerMilli)

/** The submits of `requests` requests, which then wait. `from` is the time of the first, Unix time in ms. */
export function* submits(requests: number, of: Submissions, from: number): Generator<Append> {
  const number = makeNumbering(from)
  for (let request = 0; request < requests; request++) {
    const { events, payloads } = submission(request, of)
    const time = from + Math.floor(request / requestsPerMilli)
    yield {
      stream: streamOf(request, from),
      expected: ExpectedVersion.NoStream,
      events: Array.map(events, (event) => number(event, time)),
      payloads
    }
  }
}

/** The appends of `requests` requests, in the order of the log. `from` is the time of the first, Unix time in ms. */
export function* appends(requests: number, of: Submissions = submissions, from = t0): Generator<Append> {
  const number = makeNumbering(from)
  const mostSteps = chargedLater.length + 1
  for (let round = 0; round < requests + mostSteps * stepsApart; round++) {
    const time = from + Math.floor(round / requestsPerMilli)
    for (let index = 0; index < mostSteps; index++) {
      const request = round - index * stepsApart
      if (request < 0 || request >= requests) continue
      const steps = life(request, of)
      const step = steps[index]
      if (step === undefined) continue
      const ordinal = steps.slice(0, index).reduce((sum, { events }) => sum + events.length, 0)
      yield {
        stream: streamOf(request, from),
        expected: afterOrdinal(ordinal - 1),
        events: Array.map(step.events, (event) => number(event, time)),
        payloads: step.payloads
      }
    }
  }
}

/** Batches of 1,000 events without payloads. As in a bulk load, each append holds a complete stream. */
export const makeBatches = (): (() => ReadonlyArray<Append>) => {
  const number = makeNumbering(t0)
  const events = chargedAtOnce.flatMap(({ events }) => events)
  let first = -200
  return () => {
    first += 200
    return Array.makeBy(200, (index) => ({
      stream: streamOf(first + index),
      expected: ExpectedVersion.NoStream,
      events: Array.map(Array.appendAll(submission(first + index, submissions).events, events), (event) =>
        number(event, t0 + Math.floor((first + index) / requestsPerMilli))
      )
    }))
  }
}
