/** Receivers that answer every status: only a 2xx delivers (contract, "Success and retry rules"). */
import { Array, Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { DetailedBody } from "#src/features/webhooks/views/DeliveryView.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"

const statuses = Array.range(200, 599)

const isSuccess = (status: number) => status >= 200 && status <= 299

const wordOf = (status: number) => {
  if (isSuccess(status)) return null
  if (status === 410) return "gone"
  return status >= 300 && status <= 399 ? "redirect_refused" : `http_${status}`
}

/** The status at the end of the path. */
const statusOf = (path: string) => Number(path.slice(path.lastIndexOf("/") + 1))

/** An answer that consists of a head only. */
const statusOfHead = (head: Buffer) => statusOf(head.toString().split(" ", 2)[1] ?? "")

/** The end of the first attempt, and its consequence. */
const endOf = ({ attemptHistory: [first], attempts, status }: DetailedBody) => ({
  responseStatus: first?.responseStatus,
  error: first?.error,
  // A retry may be in progress.
  becomes: status === "delivered" || status === "failed" ? `${status} after ${attempts}` : "tried again"
})

describe("a webhook", () => {
  it.live(
    "is delivered by any 2xx, given up after a 410, never follows a redirect, and is otherwise retried",
    () =>
      Effect.gen(function* () {
        const canary = yield* Receiver.silent()
        const location = `https://127.0.0.1:${canary.port}/elsewhere`
        const receiver = yield* WebhookReceiver.make(
          ({ path }, response) => void response.writeHead(statusOf(path), { location }).end()
        )
        /** Sends what may precede an answer, then the answer. */
        const interim = yield* WebhookReceiver.make((_post, response) => {
          response.writeProcessing()
          response.writeEarlyHints({ link: "</a>; rel=preload" }, () => response.writeHead(202).end())
        })
        /** Closes the connection instead. */
        const unfinished = yield* Receiver.tls((socket) =>
          socket.once("data", (head) => socket.end(`HTTP/1.1 ${statusOfHead(head)} Soon\r\n\r\n`))
        )
        const server = yield* Client.start({ dataDirectory: yield* TempDirectory.make })
        const triedAt = (webhook: string) =>
          Effect.gen(function* () {
            const id = Client.deliveryOf(yield* server.submit({ webhook }))
            return { id, ...endOf(yield* server.until(id, Client.isTried)) }
          })
        const all = <A>(each: ReadonlyArray<A>, webhook: (each: A) => string) =>
          Effect.forEach(each, (one) => triedAt(webhook(one)), { concurrency: 32 })

        const answered = yield* all(statuses, (status) => receiver.url(`/${status}`))
        for (const [index, { id, ...end }] of answered.entries()) {
          const status = statuses[index] ?? 0
          const error = wordOf(status)
          const becomes =
            error === null ? "delivered after 1" : error === "gone" ? "failed after 1" : "tried again"
          assert.deepStrictEqual(end, { responseStatus: status, error, becomes }, String(status))
          if (becomes !== "tried again") assert.strictEqual(receiver.of(id).length, 1)
        }
        assert.deepStrictEqual([yield* server.count("delivered"), yield* server.count("failed")], [100, 1])
        assert.strictEqual(canary.connections(), 0)

        const begun = yield* triedAt(interim.url())
        assert.deepInclude(begun, { responseStatus: 202, error: null, becomes: "delivered after 1" })
        const left = yield* all(
          Array.range(100, 199),
          (status) => `https://127.0.0.1:${unfinished.port}/${status}`
        )
        for (const [index, { id: _, ...end }] of left.entries()) {
          const expected = { responseStatus: null, error: "connection_failed", becomes: "tried again" }
          assert.deepStrictEqual(end, expected, String(100 + index))
        }
      })
  )
})
