/** Attempts as sent and answered, and tests of receivers (docs/apps/webhooks.md). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import * as StreamName from "#streams/StreamName.ts"
import { Payloads, refOf } from "#streams/Payload.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, issuesOf, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as Deliveries from "#test/support/src/edges/http/Deliveries.ts"
import * as GrantedKeys from "#test/support/src/edges/http/GrantedKeys.ts"

const attempt = (id: string, number: string, headers: Readonly<Record<string, string>> = {}) =>
  call({ path: `/webhooks/deliveries/${id}/attempts/${number}`, headers })

const test = (body: object, headers: Readonly<Record<string, string>> = {}) =>
  call({
    method: "POST",
    path: "/webhooks/test",
    headers: { ...jsonHeaders, ...headers },
    body: JSON.stringify(body)
  })

layer(TestServer.layer(), { excludeTestServices: true })("an attempt", (it) => {
  it.effect("has its request, and its response with what was kept of it", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.delivering()
      const kept = { headers: { "retry-after": "30" }, body: "later", isTruncated: false }
      const answer = yield* (yield* Payloads).seal({
        owner: Deliveries.accountOf("acme"),
        stream: StreamName.make("WebhookDelivery", id),
        name: "answer-1",
        text: JSON.stringify(kept)
      })
      const result = { _tag: "Failed", responseStatus: 503, error: "http_503" } as const
      const end = { at: Deliveries.start + 20, attempt: 1, durationMs: 20, result, answer: refOf(answer) }
      yield* (yield* DeliveryActors).execute(id, { _tag: "RecordAttempt", ...end }, [answer])
      const { json, status } = yield* attempt(id, "1")
      assert.strictEqual(status, 200)
      const { request, ...rest } = Object(json)
      assert.deepStrictEqual(rest, {
        attempt: 1,
        at: "2026-01-05T12:00:00.000Z",
        responseStatus: 503,
        durationMs: 20,
        error: "http_503",
        trigger: "schedule",
        response: { status: 503, ...kept, omitted: null }
      })
      assert.deepInclude(request, { method: "POST", url: "https://hooks.acme.dev/x", omitted: null })
      assert.strictEqual(request.headers["webhook-timestamp"], String(Deliveries.start / 1_000))
      assert.match(request.headers["webhook-signature"], /^v1,/)
      assert.strictEqual(request.bodySize, Buffer.byteLength(request.body))
    })
  )

  it.effect("is not found under a number that it does not have, and not shown to another account", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.delivered()
      for (const number of ["0", "2", "01", "x", "1e3", "99999999999"])
        assertEnvelope(yield* attempt(id, number), 404)
      const headers = { authorization: yield* TestServer.openAccount("curious") }
      assertEnvelope(yield* attempt(id, "1", headers), 403)
    })
  )

  it.effect("is not shown to a key that may not read requests, because its body has the output", () =>
    Effect.gen(function* () {
      const id = yield* Deliveries.delivered()
      const reply = yield* attempt(id, "1", yield* GrantedKeys.issue({ scopes: ["webhooks:read"] }))
      assertEnvelope(reply, 403)
      assert.deepInclude(Object(reply.json).details, { code: "MISSING_SCOPE", scope: "requests:read" })
      const both = yield* GrantedKeys.issue({ scopes: ["webhooks:read", "requests:read"] })
      assert.strictEqual((yield* attempt(id, "1", both)).status, 200)
    })
  )
})

layer(TestServer.layer(), { excludeTestServices: true })("a test of a webhook", (it) => {
  it.effect("refuses what a submit refuses, and names the field", () =>
    Effect.gen(function* () {
      for (const [url, code] of [
        ["http://hooks.acme.dev/x", "not_https"],
        ["https://127.0.0.1/x", "private_address"],
        ["nothing", "format"]
      ] as const) {
        const reply = yield* test({ url })
        assert.strictEqual(reply.status, 400)
        assert.deepStrictEqual(issuesOf(reply), [["url", code]])
      }
      for (const body of [{}, { url: "https://hooks.acme.dev/x", event: "other" }])
        assert.strictEqual((yield* test(body)).status, 400)
    })
  )

  it.effect("is made at most twenty times a minute by an account", () =>
    Effect.gen(function* () {
      const headers = { authorization: yield* TestServer.openAccount("testing") }
      // No resolver knows the name, so nothing is sent.
      const once = test({ url: "https://nowhere.example.com/x" }, headers)
      for (let count = 0; count < 20; count++) {
        const { json, status } = yield* once
        assert.strictEqual(status, 200)
        assert.deepInclude(json, { error: "dns_error", responseStatus: null, response: null })
      }
      const refused = yield* once
      assert.strictEqual(refused.status, 429)
      assert.deepInclude(Object(refused.json).details, { scope: "account", limit: 20, window: 60 })
      assert.match(String(refused.headers["retry-after"]), /^[1-3]$/)
      const others = { authorization: yield* TestServer.openAccount("testing-too") }
      assert.strictEqual((yield* test({ url: "https://nowhere.example.com/x" }, others)).status, 200)
    })
  )
})
