/** A server that is told to stop while a receiver keeps it waiting. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import * as StreamName from "#streams/StreamName.ts"
import * as LogOnDisk from "#test/support/LogOnDisk.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "./Client.ts"

/** To the next attempt after the first, ms. */
const delayMs = 5_000

describe("a server that is told to stop amid an attempt", () => {
  it.live("ends within two seconds, and the next attempt is made at its time by the one that follows", () =>
    Effect.gen(function* () {
      const receiver = yield* WebhookReceiver.make((post, response) => {
        if (post.turn > 1) response.writeHead(200).end()
      })
      const dataDirectory = yield* TempDirectory.make
      const first = yield* Client.start({ dataDirectory })
      const id = Client.deliveryOf(yield* first.submit({ webhook: receiver.url() }))
      yield* receiver.until(id)

      const [elapsed, exitCode] = yield* Effect.timed(Effect.promise(() => first.kill("SIGTERM")))
      assert.strictEqual(exitCode, 0, first.output())
      assert.isBelow(Duration.toMillis(elapsed), 2_000)
      const streams = yield* Effect.provide(LogOnDisk.eventsByStream, LogOnDisk.layer(dataDirectory))
      const events = streams.get(StreamName.make("WebhookDelivery", id)) ?? []
      assert.deepStrictEqual(
        events.map(({ type }) => type),
        ["DeliveryScheduled", "AttemptStarted", "AttemptLost"]
      )
      const lost = events[2]
      assert.isDefined(lost)
      const dueAt = lost.time + delayMs
      assert.deepInclude(lost.data, { attempt: 1, nextAttemptAt: dueAt })

      const second = yield* Client.start({ dataDirectory })
      assert.deepInclude(yield* second.delivery(id), {
        status: "pending",
        attempts: 1,
        lastError: "connection_failed",
        nextAttemptAt: new Date(dueAt).toISOString()
      })
      const [before, after] = yield* receiver.until(id, 2)
      assert.isTrue(after?.body.equals(before?.body ?? Buffer.alloc(0)))
      assert.isAtLeast(after?.at ?? 0, dueAt)
      assert.isAtMost(after?.at ?? 0, dueAt + 1_000)
      const { attemptHistory, attempts } = yield* second.until(id, Client.isDelivered)
      assert.strictEqual(attempts, 2)
      assert.deepStrictEqual(
        attemptHistory.map(({ durationMs, error, responseStatus }) => [
          responseStatus,
          error,
          durationMs === null
        ]),
        [
          [null, "connection_failed", true],
          [200, null, false]
        ]
      )
    })
  )
})
