import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"

const unknownId = "msg_p5jXN8AQM9LWM0D4loKWxJ"

layer(TestServer.layer(), { excludeTestServices: true })("a delivery", (it) => {
  it.effect("has the fields of its record, and its attempts", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.waiting()
      const { headers, json, status } = yield* Deliveries.get(id)
      const { requestId } = Object(json)
      assert.deepStrictEqual([status, headers["cache-control"]], [200, "no-store"])
      assert.deepStrictEqual(json, {
        id,
        requestId,
        event: "completed",
        url: "https://hooks.acme.dev/x",
        status: "pending",
        attempts: 1,
        lastResponseStatus: 503,
        lastError: "http_503",
        nextAttemptAt: "2026-01-05T12:00:05.020Z",
        deliveredAt: null,
        createdAt: "2026-01-05T12:00:00.000Z",
        updatedAt: "2026-01-05T12:00:00.020Z",
        attemptHistory: [
          {
            at: "2026-01-05T12:00:00.000Z",
            responseStatus: 503,
            durationMs: 20,
            error: "http_503",
            trigger: "schedule"
          }
        ]
      })
    })
  )

  it.effect("shows its state, and its attempts with the newest last", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.waiting()
      const second = Deliveries.start + 10_000
      yield* Deliveries.begin(id, second)
      const under = Object((yield* Deliveries.get(id)).json)
      assert.deepInclude(under, { status: "delivering", nextAttemptAt: null, attempts: 2 })
      assert.deepStrictEqual(under.attemptHistory[1], {
        at: new Date(second).toISOString(),
        responseStatus: null,
        durationMs: null,
        error: null,
        trigger: "schedule"
      })
      yield* Deliveries.end(id, { _tag: "Succeeded", responseStatus: 204 }, { at: second, attempt: 2 })
      const over = Object((yield* Deliveries.get(id)).json)
      const deliveredAt = new Date(second + 20).toISOString()
      assert.deepInclude(over, { status: "delivered", lastResponseStatus: 204, lastError: null, deliveredAt })
      assert.deepStrictEqual(
        over.attemptHistory.map(({ responseStatus }: { responseStatus: number }) => responseStatus),
        [503, 204]
      )
    })
  )

  it.effect.each([
    ["delivered", Deliveries.delivered],
    ["failed", Deliveries.failed],
    ["waiting for a retry", Deliveries.waiting]
  ] as const)("that is %s is replayed under its id at once", ([, made]) =>
    Effect.gen(function* () {
      const id = yield* made()
      const before = Date.now()
      const { headers, json, status } = yield* Deliveries.replay(id)
      assert.deepStrictEqual([status, headers["cache-control"]], [202, "no-store"])
      assert.deepInclude(json, { id, status: "pending", attempts: 1 })
      assert.notProperty(json, "attemptHistory")
      const { nextAttemptAt } = Object(json)
      assert.isAtLeast(Date.parse(nextAttemptAt), before - 1)
      assert.isAtMost(Date.parse(nextAttemptAt), Date.now() + 1)
      yield* Deliveries.begin(id, Date.parse(nextAttemptAt))
      const { attempts, attemptHistory } = Object((yield* Deliveries.get(id)).json)
      assert.deepStrictEqual([attempts, attemptHistory.length, attemptHistory[1].trigger], [2, 2, "replay"])
    })
  )

  it.effect("that waits stays the same after a replay", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.pending()
      const before = yield* Deliveries.replay(id)
      const again = yield* Deliveries.replay(id)
      assert.deepStrictEqual([before.status, again.status], [202, 202])
      assert.deepStrictEqual(again.json, before.json)
      assert.deepInclude(again.json, { status: "pending", nextAttemptAt: "2026-01-05T12:00:00.000Z" })
    })
  )

  it.effect("is replayed with any small body", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.failed()
      const path = `/webhooks/deliveries/${id}/replay`
      const reply = yield* call({
        method: "POST",
        path,
        headers: { "content-type": "text/plain" },
        body: "{"
      })
      assert.strictEqual(reply.status, 202)
    })
  )

  it.effect("that is being sent is not replayed", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.delivering()
      const reply = yield* Deliveries.replay(id)
      assertEnvelope(reply, 409)
      assert.deepInclude(reply.json, { details: { code: "DELIVERY_IN_PROGRESS" } })
    })
  )

  it.effect("is read and checked from the log, whichever node sends it", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.delivering()
      assertEnvelope(yield* Deliveries.replay(id), 409)
      // Another node's actors, unknown to the server's own.
      yield* Deliveries.end(id, { _tag: "Succeeded", responseStatus: 204 }).pipe(
        Effect.provide(Layer.fresh(DeliveryActors.layer))
      )
      assert.deepInclude((yield* Deliveries.get(id)).json, { status: "delivered" })
      assert.strictEqual((yield* Deliveries.replay(id)).status, 202)
    })
  )

  it.effect("whose body was erased is not replayed, but is still returned", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.erased()
      const reply = yield* Deliveries.replay(id)
      assertEnvelope(reply, 410)
      assert.deepInclude(reply.json, { details: { code: "PAYLOADS_ERASED" } })
      assert.deepInclude((yield* Deliveries.get(id)).json, { status: "failed", lastError: "gone" })
    })
  )

  it.effect.each([
    unknownId,
    "short",
    "msg_",
    `${unknownId}x`,
    "msg_p5jXN8AQM9LWM0D4loKW%2F.",
    "%00",
    "%C3%A9",
    "recover"
  ])("%s is 404 on every route", (id) =>
    Effect.gen(function* () {
      for (const reply of [yield* Deliveries.get(id), yield* Deliveries.replay(id)]) {
        assertEnvelope(reply, 404)
        assert.deepInclude(reply.json, { error: "Delivery not found." })
      }
    })
  )

  it.effect("of another account is 403 on every route, and does not change", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.failed({ account: "beta" })
      for (const reply of [yield* Deliveries.get(id), yield* Deliveries.replay(id)]) {
        assertEnvelope(reply, 403)
        assert.notInclude(reply.text, "acme")
      }
      const { otherKey: authorization } = yield* TestServer.TestServer
      const path = `/webhooks/deliveries/${id}`
      assert.deepInclude((yield* call({ path, headers: { authorization } })).json, { status: "failed" })
    })
  )
})
