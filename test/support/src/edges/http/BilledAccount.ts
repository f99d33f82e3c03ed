/** An account with requests that were billed at times that the test chooses, and its calls. */
import * as crypto from "node:crypto"
import { type Array as NonEmpty, Effect } from "effect"
import { KeyId, RequestId } from "#domain/Ids.ts"
import { codec, type Event } from "#domain/inference-request/Event.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, Quantity } from "#domain/Money.ts"
import type { Price } from "#domain/Pricing.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call } from "./Calls.ts"
import { accountOf } from "./Deliveries.ts"

export interface Billed {
  /** The times of its submit and of its end. */
  readonly at?: number
  readonly model?: string
  readonly unit?: Price["unit"]
  readonly key?: string
  /** USD. */
  readonly hold?: string
  /** USD; `null` for a request that failed. */
  readonly cost?: string | null
  /** Millionths. */
  readonly quantity?: bigint
}

const encode = (event: Event) => ({ id: crypto.randomUUID(), ...codec.encode(event) })

const anyRequest = () => RequestId.make(`rq${crypto.randomBytes(16).toString("hex").slice(0, 19)}`)

const end = (at: number, cost: string | null, quantity: bigint): Event =>
  cost === null
    ? { _tag: "RequestFailed", at, attempt: 1, reason: "refused", message: "no" }
    : {
        _tag: "RequestCompleted",
        at,
        attempt: 1,
        billing: { status: "charged", amount: usd(cost), units: Quantity.make(quantity) },
        error: null
      }

/** The opening balance; 1 USD by default. */
export const open = Effect.fnUntraced(function* (name: string, balance = "1") {
  const headers = { authorization: yield* TestServer.openAccount(name, balance) }
  const accountId = accountOf(name)
  return {
    accountId,
    get: (path: string, more: Readonly<Record<string, string>> = {}) =>
      call({ path, headers: { ...headers, ...more } }),
    head: (path: string, more: Readonly<Record<string, string>> = {}) =>
      call({ path, method: "HEAD", headers: { ...headers, ...more } }),
    json: (path: string) => Effect.map(call({ path, headers }), ({ json }) => Object(json)),
    /** Submits a request and ends it unless `isOpen`. Returns its id and the position of its last event. */
    bill: Effect.fnUntraced(function* (
      {
        at = Log.t0,
        cost = "0.001",
        hold = cost ?? "0.001",
        key = "key_test",
        model = "sandbox/echo",
        quantity = 1_000_000n,
        unit = "request"
      }: Billed = {},
      isOpen = false
    ) {
      const requestId = anyRequest()
      const { quote, ...rest } = Log.submitted(accountId, ModelEndpoint.make(model), at)
      const submitted: Event = {
        ...rest,
        keyId: KeyId.make(key),
        quote: { ...quote, unit, hold: NanoUsd.make(usd(hold)) }
      }
      const events: NonEmpty.NonEmptyReadonlyArray<Event> = isOpen
        ? [submitted]
        : [submitted, end(at, cost, quantity)]
      const [first, ...others] = events
      const { position } = yield* (yield* EventStore).append({
        stream: StreamName.make("InferenceRequest", requestId),
        expected: ExpectedVersion.NoStream,
        events: [encode(first), ...others.map(encode)]
      })
      return { requestId, position }
    })
  }
})
