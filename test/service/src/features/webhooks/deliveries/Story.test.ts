/**
 * Webhooks as seen by a client and its receiver, from the submit to a replay, over real processes and HTTPS.
 *
 * @process webhooks are of a server that runs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { byAll, byNone, verified } from "#test/support/src/features/webhooks/Verifiers.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Client from "#test/support/src/features/webhooks/deliveries/Client.ts"

const endpoint = "sandbox/echo"

const signedOf = ({ body, headers, id }: WebhookReceiver.Post) => ({
  id,
  timestamp: Number(headers["webhook-timestamp"]),
  signature: String(headers["webhook-signature"]),
  body: body.toString()
})

const jsonOf = ({ body }: WebhookReceiver.Post): object => Object(JSON.parse(body.toString()))

const checkTime = (text: string | null, around: number) =>
  assert.closeTo(Date.parse(String(text)), around, 2_000)

describe("webhooks of a request", () => {
  it.live(
    "report its start and its end, signed for three independent verifiers, and are sent again on request",
    () =>
      Effect.gen(function* () {
        const receiver = yield* WebhookReceiver.make()
        const server = yield* Client.start({ dataDirectory: yield* TempDirectory.make })
        const secret = yield* server.secret
        const webhook = receiver.url("/hook?order=4711&x=%20y")
        const input = { value: "Grüße, 🦆", delayMs: 1_000 }
        const id = yield* server.submit({ input, webhook, events: ["start", "completed"] })

        const [start] = yield* receiver.until(Client.deliveryOf(id, "start"))
        const [completed] = yield* receiver.until(Client.deliveryOf(id))
        assert.isDefined(start)
        assert.isDefined(completed)
        for (const post of [start, completed]) {
          assert.strictEqual(post.path, "/hook?order=4711&x=%20y")
          assert.deepInclude(post.headers, {
            "content-type": "application/json",
            "content-length": String(post.body.length),
            "user-agent": "inferlog-webhooks/1"
          })
          checkTime(new Date(signedOf(post).timestamp * 1_000).toISOString(), post.at)
          assert.deepStrictEqual(yield* verified(secret, signedOf(post)), byAll)
        }
        const told = { id, input }
        const running = { event: "start", status: "IN_PROGRESS", output: null, error: null }
        assert.deepInclude(jsonOf(start), { ...told, ...running })
        assert.notProperty(jsonOf(start), "billingStatus")
        const { body: result } = yield* server.call(`/${endpoint}/requests/${id}`)
        assert.deepInclude(result, { ...told, status: "COMPLETED", output: { value: input.value } })
        assert.deepStrictEqual(jsonOf(completed), {
          ...result,
          event: "completed",
          billingStatus: "charged"
        })

        const record = yield* server.until(completed.id, Client.isDelivered)
        const [attempt] = record.attemptHistory
        for (const time of [record.createdAt, record.updatedAt, record.deliveredAt, attempt?.at ?? null])
          checkTime(time, completed.at)
        assert.deepStrictEqual(record, {
          id: completed.id,
          requestId: id,
          event: "completed",
          url: webhook,
          status: "delivered",
          attempts: 1,
          lastResponseStatus: 204,
          lastError: null,
          nextAttemptAt: null,
          deliveredAt: record.deliveredAt,
          createdAt: record.createdAt,
          updatedAt: record.updatedAt,
          attemptHistory: [
            {
              at: String(attempt?.at),
              responseStatus: 204,
              durationMs: attempt?.durationMs ?? null,
              error: null,
              trigger: "schedule"
            }
          ]
        })

        const { body: rotated } = yield* server.call("/webhooks/default/secret/rotate", { method: "POST" })
        const key = String(rotated["key"])
        assert.notStrictEqual(key, secret)
        checkTime(String(rotated["previousKeyExpiresAt"]), Date.now() + 24 * 60 * 60 * 1_000)
        const replayed = yield* server.call(`/webhooks/deliveries/${completed.id}/replay`, { method: "POST" })
        assert.strictEqual(replayed.status, 202)
        const [, again] = yield* receiver.until(completed.id, 2)
        assert.isDefined(again)
        assert.isTrue(again.body.equals(completed.body))
        assert.strictEqual(again.path, completed.path)
        // With both secrets, the new one first.
        for (const valid of [key, secret]) {
          assert.deepStrictEqual(yield* verified(valid, signedOf(again)), byAll)
          assert.deepStrictEqual(
            yield* verified(valid, { ...signedOf(again), body: start.body.toString() }),
            byNone
          )
        }
        assert.deepStrictEqual(yield* verified(key, signedOf(completed)), byNone)

        const after = yield* server.until(completed.id, ({ attempts, status }) => {
          return attempts === 2 && status === "delivered"
        })
        assert.deepInclude(after, { lastResponseStatus: 204, lastError: null, createdAt: record.createdAt })
        assert.deepStrictEqual(
          after.attemptHistory.map(({ responseStatus, trigger }) => [responseStatus, trigger]),
          [
            [204, "schedule"],
            [204, "replay"]
          ]
        )
        assert.deepStrictEqual([yield* server.count("delivered"), receiver.posts().length], [2, 3])

        const shown = yield* server.call(`/webhooks/deliveries/${completed.id}/attempts/1`)
        const { headers, ...sent } = Object(shown.body["request"])
        assert.deepInclude(sent, {
          url: webhook,
          body: completed.body.toString(),
          bodySize: completed.body.length
        })
        assert.strictEqual(headers["webhook-id"], completed.id)

        const tested = yield* server.call("/webhooks/test", { method: "POST", body: { url: webhook } })
        assert.deepInclude(tested.body, { responseStatus: 204, error: null })
        const sample = receiver.posts().at(-1)
        if (sample === undefined) return assert.fail("no sample arrived")
        assert.deepStrictEqual(yield* verified(key, signedOf(sample)), byAll)
        assert.deepInclude(jsonOf(sample), { event: "completed", status: "COMPLETED" })
        assert.strictEqual(yield* server.count("delivered"), 2)
      })
  )
})
