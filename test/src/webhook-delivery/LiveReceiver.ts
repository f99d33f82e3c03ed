/** A receiver that answers at once, and how long its webhooks take while others do not. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "./Client.ts"

/** From the submit to the receiver, so it is more than from the end of the request. */
const p99LimitMs = 1_000

export const make = Effect.fn("LiveReceiver.make")(function* (server: Client.Client) {
  const receiver = yield* WebhookReceiver.make()
  const sent: Array<number> = []

  const percentile99 = () => {
    const sorted = sent.toSorted((a, b) => a - b)
    return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity
  }

  return {
    /** Submits a request and waits for its webhook. */
    exchange: Effect.gen(function* () {
      const began = Date.now()
      const id = yield* server.submit({ webhook: receiver.url() })
      const [post] = yield* receiver.until(Client.deliveryOf(id))
      sent.push((post?.at ?? Infinity) - began)
    }),
    /** Holds at least so many of them to their limit. */
    check: (least: number) =>
      Effect.sync(() => {
        assert.isAtLeast(sent.length, least)
        assert.isAtMost(percentile99(), p99LimitMs, `p99 of ${sent.length} deliveries, ms`)
        return `${sent.length} deliveries, p99 ${percentile99()} ms`
      })
  }
})
