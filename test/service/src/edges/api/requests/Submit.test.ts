import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { RequestId } from "#domain/Ids.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import {
  accepted,
  assertEnvelope,
  call,
  issuesOf,
  jsonHeaders,
  submit
} from "#test/support/src/edges/http/Calls.ts"

const submitText = (body: string, headers: Readonly<Record<string, string>>) =>
  call({ method: "POST", path: "/sandbox/echo", headers: { ...jsonHeaders, ...headers }, body })

const webhook = "https://hooks.acme.dev/inferlog"

const serving = TestServer.layer().pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("POST /{owner}/{model}", (it) => {
  it.effect("answers at once with the id and the three addresses", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { headers, json, status } = yield* submit({ value: "hello" })
      const id = String(Reflect.get(Object(json), "request_id"))
      const url = `${urls.queueUrl}/sandbox/echo/requests/${id}`
      assert.strictEqual(status, 200)
      assert.match(id, /^[A-Za-z0-9_-]{21}$/)
      assert.deepStrictEqual(json, {
        status: "IN_QUEUE",
        request_id: id,
        response_url: url,
        status_url: `${url}/status`,
        cancel_url: `${url}/cancel`,
        logs: "",
        queue_position: 0
      })
      assert.strictEqual(headers["cache-control"], "no-store")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
    })
  )

  it.effect("returns the webhook and its filter only as sent", () =>
    Effect.gen(function* () {
      const plain = yield* submit({ value: 1, webhook })
      assert.include(plain.json, { webhook })
      assert.notProperty(plain.json, "webhook_events_filter")
      const filtered = yield* submit({ value: 1, webhook, webhook_events_filter: ["start", "completed"] })
      assert.deepInclude(filtered.json, { webhook_events_filter: ["start", "completed"] })
    })
  )

  it.effect("hides the reserved fields from the model and the result", () =>
    Effect.gen(function* () {
      const id = Reflect.get(Object((yield* submit({ value: 7, webhook })).json), "request_id")
      const { json } = yield* call({ path: `/requests/${id}` })
      assert.deepInclude(json, { input: { value: 7 } })
    })
  )

  it.effect("stores the metadata for the result", () =>
    Effect.gen(function* () {
      const reply = yield* submit(
        { value: 1 },
        { "x-request-metadata": '{"order":"4711","city":"K\\u00f6ln"}' }
      )
      const id = Reflect.get(Object(reply.json), "request_id")
      const { json } = yield* call({ path: `/requests/${id}` })
      assert.deepInclude(json, { metadata: { order: "4711", city: "Köln" } })
    })
  )

  describe("webhooks", () => {
    it.effect.each([
      [{ webhook: "http://hooks.acme.dev/x" }, [["webhook", "not_https"]]],
      [{ webhook: "no url" }, [["webhook", "malformed"]]],
      [{ webhook: "https://user:secret@hooks.acme.dev/" }, [["webhook", "credentials"]]],
      [{ webhook: "https://127.0.0.1/" }, [["webhook", "private_address"]]],
      [{ webhook: "https://inside.acme.dev/" }, [["webhook", "private_address"]]],
      [{ webhook: "https://unknown.acme.dev/" }, [["webhook", "dns_error"]]],
      [{ webhook: `https://hooks.acme.dev/${"x".repeat(2048)}` }, [["webhook", "too_long"]]],
      [{ webhook: 7 }, [["webhook", "type"]]],
      [{ webhook: null }, [["webhook", "type"]]],
      [{ webhook_events_filter: ["start"] }, [["webhook_events_filter", "dependentRequired"]]],
      [{ webhook, webhook_events_filter: "start" }, [["webhook_events_filter", "type"]]],
      [{ webhook, webhook_events_filter: [] }, [["webhook_events_filter", "minItems"]]],
      [{ webhook, webhook_events_filter: ["done"] }, [["webhook_events_filter.0", "enum"]]],
      [{ webhook, webhook_events_filter: ["start", "start"] }, [["webhook_events_filter", "uniqueItems"]]],
      [
        { webhook, webhook_events_filter: ["start", "completed", "progress"] },
        [["webhook_events_filter.2", "enum"]]
      ]
    ] as const)("rejects %j", ([fields, issues]) =>
      Effect.gen(function* () {
        const reply = yield* submit({ value: 1, ...fields })
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(issuesOf(reply), issues)
        assert.notInclude(reply.text, "secret")
      })
    )
  })

  describe("input", () => {
    it.effect("is validated against the model's schema", () =>
      Effect.gen(function* () {
        const reply = yield* submit({ delayMs: "soon" })
        assertEnvelope(reply, 400)
        assert.sameDeepMembers(
          [...issuesOf(reply)],
          [
            ["value", "required"],
            ["delayMs", "type"]
          ]
        )
        assert.notInclude(reply.text, "soon")
      })
    )

    it.effect.each(["[1]", "7", '"text"', "null", "true"])("must be an object: %s", (body) =>
      Effect.gen(function* () {
        const reply = yield* call({ method: "POST", path: "/sandbox/echo", headers: jsonHeaders, body })
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(issuesOf(reply), [["", "type"]])
      })
    )
  })

  describe("headers", () => {
    it.effect.each([
      ["x-request-metadata", "[]", ["X-Request-Metadata", "type"]],
      ["x-request-metadata", '{"a":1}', ["X-Request-Metadata.a", "type"]],
      ["x-request-start-timeout", "soon", ["X-Request-Start-Timeout", "duration"]],
      ["cancel-after", "-5", ["Cancel-After", "duration"]],
      ["prefer", "wait=61", ["Prefer", "range"]],
      ["idempotency-key", "x".repeat(256), ["Idempotency-Key", "pattern"]]
    ] as const)("rejects %s: %s", ([name, value, issue]) =>
      Effect.gen(function* () {
        const reply = yield* submit({ value: 1 }, { [name]: value })
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(issuesOf(reply), [issue])
      })
    )

    it.effect("of deadlines apply: a late request is cancelled", () =>
      Effect.gen(function* () {
        const headers = { "x-request-start-timeout": "5", "cancel-after": "2m" }
        const reply = yield* submit({ value: 1 }, headers)
        const id = String(Reflect.get(Object(reply.json), "request_id"))
        const { state } = yield* (yield* RequestActors).current(id)
        if (state._tag !== "Request") return assert.fail("there is no such request")
        const { at, deadlines } = state.submitted
        assert.deepStrictEqual(deadlines, { startBy: at + 5_000, endBy: at + 120_000 })
      })
    )

    it.effect("and reserved fields are validated together", () =>
      Effect.gen(function* () {
        const reply = yield* submit({ value: 1, webhook: 7 }, { prefer: "wait=x", "cancel-after": "x" })
        assert.sameDeepMembers(
          issuesOf(reply).map(([path]) => path),
          ["webhook", "Prefer", "Cancel-After"]
        )
      })
    )
  })

  describe("models", () => {
    it.effect.each(["/sandbox/unknown", "/nobody/echo"])("that are unknown answer 404: %s", (path) =>
      Effect.gen(function* () {
        assertEnvelope(yield* call({ method: "POST", path, headers: jsonHeaders, body: "{}" }), 404)
      })
    )
  })

  describe("Idempotency-Key", () => {
    it.effect("returns the first answer again, whatever the request's state", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "order 4711" }
        const first = yield* submit({ value: 1 }, headers)
        assert.notProperty(first.headers, "idempotency-replayed")
        const id = RequestId.make(String(Reflect.get(Object(first.json), "request_id")))
        yield* Lifecycle.start(id)
        const second = yield* submit({ value: 1 }, headers)
        assert.strictEqual(second.status, 200)
        assert.strictEqual(second.headers["idempotency-replayed"], "true")
        assert.deepStrictEqual(second.json, first.json)
      })
    )

    it.effect("rejects another body, other metadata and another deadline under the same key", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "order 4712" }
        yield* submit({ value: 1 }, headers)
        for (const other of [
          yield* submit({ value: 2 }, headers),
          yield* submit({ value: 1 }, { ...headers, "x-request-metadata": '{"a":"1"}' }),
          yield* submit({ value: 1 }, { ...headers, "cancel-after": "60" })
        ]) {
          assertEnvelope(other, 409)
          assert.deepInclude(other.json, { details: { code: "IDEMPOTENCY_KEY_REUSED" } })
        }
      })
    )

    it.effect("takes other order, blanks and escapes for the same request", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "order 4713", "x-request-metadata": '{"a":"1","b":"2"}' }
        const first = yield* submitText('{"value":{"a":"é","b":1.0}}', headers)
        for (const text of ['{"value":{"b":1.0,"a":"é"}}', '{ "value": {"a": "\\u00e9",\n"b":1}}']) {
          const again = yield* submitText(text, { ...headers, "x-request-metadata": '{ "b":"2","a":"1"}' })
          assert.deepStrictEqual(again.json, first.json)
          assert.strictEqual(again.headers["idempotency-replayed"], "true")
        }
        assertEnvelope(yield* submitText('{"value":{"a":"é","b":2}}', headers), 409)
      })
    )

    it.effect("tells integers apart that JavaScript rounds to the same", () =>
      Effect.gen(function* () {
        const headers = { "idempotency-key": "order 4714" }
        yield* submitText('{"value":9007199254740993}', headers)
        assertEnvelope(yield* submitText('{"value":9007199254740992}', headers), 409)
      })
    )

    it.effect("creates one request for concurrent twins", () =>
      Effect.gen(function* () {
        const replies = yield* Effect.all(
          Array.from({ length: 10 }, () => submit({ value: 1 }, { "idempotency-key": "twins" })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(new Set(replies.map(({ text }) => text)).size, 1)
        assert.strictEqual(replies.filter(({ headers }) => "idempotency-replayed" in headers).length, 9)
      })
    )
  })

  describe("Prefer: wait", () => {
    it.effect("answers with the retrieved request if it has ended in time", () =>
      Effect.gen(function* () {
        const key = { "idempotency-key": "waiting" }
        const id = RequestId.make(
          String(Reflect.get(Object((yield* submit({ value: 1 }, key)).json), "request_id"))
        )
        const waiting = yield* Effect.forkChild(submit({ value: 1 }, { ...key, prefer: "wait=20" }))
        yield* Lifecycle.start(id)
        yield* Lifecycle.deliver(id, { value: 1 })
        const reply = yield* Fiber.join(waiting)
        assert.strictEqual(reply.status, 200)
        assert.strictEqual(reply.headers["preference-applied"], "wait")
        assert.deepStrictEqual(reply.json, (yield* call({ path: `/requests/${id}` })).json)
      })
    )

    it.effect("may also be given in the query", () =>
      Effect.gen(function* () {
        const key = { "idempotency-key": "querying" }
        const id = RequestId.make(
          String(Reflect.get(Object((yield* submit({ value: 1 }, key)).json), "request_id"))
        )
        const waiting = yield* Effect.forkChild(submit({ value: 1 }, key, "sandbox/echo?wait=20"))
        yield* Lifecycle.start(id)
        yield* Lifecycle.deliver(id, { value: 1 })
        const reply = yield* Fiber.join(waiting)
        assert.deepInclude(reply.json, { status: "COMPLETED" })
        assert.notProperty(reply.headers, "preference-applied")
        assert.strictEqual((yield* submit({ value: 1 }, {}, "sandbox/echo?wait=61")).status, 400)
      })
    )

    it.effect("answers as usual otherwise", () =>
      Effect.gen(function* () {
        const waiting = submit({ value: 1 }, { prefer: "respond-async, wait=1" })
        const reply = yield* SkippedTime.passing("100 millis")(waiting)
        assert.strictEqual(reply.status, 200)
        assert.deepInclude(reply.json, { status: "IN_QUEUE", queue_position: 0 })
        assert.notProperty(reply.headers, "preference-applied")
      })
    )
  })

  it.effect("returns ids that sort by time", () =>
    Effect.gen(function* () {
      const ids = [yield* accepted(), yield* accepted(), yield* accepted()]
      assert.deepStrictEqual(ids, [...ids].sort())
    })
  )
})

describe("a submit that is repeated under its Idempotency-Key", () => {
  it.effect("gets the first answer even when its webhook's name no longer resolves", () => {
    let addresses = ["93.184.216.34"]
    const server = TestServer.layer({ resolve: () => Effect.sync(() => addresses) })
    return Effect.gen(function* () {
      const body = { value: 1, webhook }
      const first = yield* submit(body, { "idempotency-key": "order 4711" })
      addresses = []
      // Names are cached for a while.
      yield* TestClock.adjust("1 minute")
      const again = yield* submit(body, { "idempotency-key": "order 4711" })
      assert.deepStrictEqual([again.status, again.json], [200, first.json])
      assert.strictEqual(again.headers["idempotency-replayed"], "true")
      const other = yield* submit(body, { "idempotency-key": "order 4712" })
      assert.deepStrictEqual(issuesOf(other), [["webhook", "dns_error"]])
    }).pipe(Effect.provide(server))
  })

  it.effect("gets 404 when the first was for an unknown model", () =>
    Effect.gen(function* () {
      const headers = { "idempotency-key": "order 4711" }
      assertEnvelope(yield* submit({ value: 1, webhook: "https://127.0.0.1/" }, headers, "sandbox/none"), 404)
      assertEnvelope(yield* submit({ value: 1 }, headers, "sandbox/none"), 404)
    }).pipe(Effect.provide(TestServer.layer()))
  )
})
