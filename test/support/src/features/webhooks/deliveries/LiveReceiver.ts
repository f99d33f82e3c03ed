/** A receiver that answers at once, and the latency of its webhooks while others do not answer. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "./Client.ts"

/** From the submit to the receiver, so longer than from the end of the request. */
const p99LimitMs = 1_000

interface Exchange {
  readonly began: number
  /** `Infinity` until it has arrived. */
  ms: number
}

export const make = Effect.fn("LiveReceiver.make")(function* (server: Client.Client) {
  const receiver = yield* WebhookReceiver.make()
  const exchanges: Array<Exchange> = []

  return {
    /** Submits a request and waits for its webhook. */
    exchange: Effect.gen(function* () {
      const exchange: Exchange = { began: Date.now(), ms: Infinity }
      exchanges.push(exchange)
      const id = yield* server.submit({ webhook: receiver.url() })
      const [post] = yield* receiver.until(Client.deliveryOf(id))
      exchange.ms = (post?.at ?? Infinity) - exchange.began
    }),

    /** Expects that at least this many are within their limit, and returns a summary. */
    check: (least: number) =>
      Effect.sync(() => {
        const over = exchanges.filter(({ began, ms }) => ms < Infinity || Date.now() - began > p99LimitMs)
        const sorted = over.map(({ ms }) => ms).toSorted((a, b) => a - b)
        const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity
        assert.isAtLeast(sorted.length, least)
        assert.isAtMost(p99, p99LimitMs, `p99 of ${sorted.length} deliveries, ms`)
        return `${sorted.length} deliveries, p99 ${p99} ms`
      })
  }
})
