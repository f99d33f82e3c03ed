import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import { MostStreams } from "#src/edges/http/edge/EventStreams.ts"
import { send } from "#test/support/HttpProbe.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

const serving = Streams.layer().pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("GET /requests/stream", (it) => {
  it.effect.each([
    ["a short id", "request_id=short", [["request_id.0", "pattern"]]],
    ["one of two ids", "request_id=rq0000000000000000000&request_id=a", [["request_id.1", "pattern"]]],
    ["a model without owner", "modelEndpoint=echo", [["modelEndpoint", "pattern"]]],
    ["another value for logs", "logs=yes", [["logs", "enum"]]],
    ["a malformed event id", "last_event_id=abc", [["last_event_id", "pattern"]]],
    [
      "too many ids",
      Array.from({ length: 101 }, () => "request_id=rq0000000000000000000").join("&"),
      [["request_id", "maxItems"]]
    ]
  ] as const)("answers %s with 400 and the reason", ([, query, issues]) =>
    Effect.gen(function* () {
      const reply = yield* call({ path: `/requests/stream?${query}` })
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(issuesOf(reply), issues)
    })
  )

  it.effect("answers a malformed Last-Event-ID, or a future one, with 400", () =>
    Effect.gen(function* () {
      const malformed = yield* call({ path: "/requests/stream", headers: { "last-event-id": "x" } })
      assert.deepStrictEqual(issuesOf(malformed), [["last-event-id", "pattern"]])
      const asking = call({ path: "/requests/stream", headers: { "last-event-id": "999999" } })
      const unknown = yield* SkippedTime.passing("100 millis")(asking)
      assertEnvelope(unknown, 400)
      assert.deepInclude(Object(unknown.json), { details: { code: "UNKNOWN_EVENT_ID" } })
    })
  )

  it.effect(
    "answers unknown requests with 404, those of another account with 403, those of another model with 404",
    () =>
      Effect.gen(function* () {
        const { otherKey } = yield* TestServer.TestServer
        const id = yield* accepted()
        assertEnvelope(yield* call({ path: "/requests/stream?request_id=rq0000000000000000000" }), 404)
        const path = `/requests/stream?request_id=${id}`
        assertEnvelope(yield* call({ path, headers: { authorization: otherKey } }), 403)
        assertEnvelope(yield* call({ path: `${path}&modelEndpoint=sandbox/slow` }), 404)
        assertEnvelope(yield* call({ path, headers: { authorization: "Key no" } }), 401)
      })
  )

  it.effect("answers HEAD with 405", () =>
    Effect.gen(function* () {
      const reply = yield* call({ method: "HEAD", path: "/requests/stream" })
      assert.strictEqual(reply.status, 405)
      assert.strictEqual(reply.headers["allow"], "GET")
    })
  )

  it.effect("answers 429 at the account's limit of streams, of both kinds", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      yield* accounts.changeLimits({ accountId, limits: { maxStreams: 2 } })
      const id = yield* accepted()
      const first = yield* Streams.stream()
      yield* Streams.stream(`/sandbox/echo/requests/${id}/status/stream`)
      for (const path of ["/requests/stream", `/sandbox/echo/requests/${id}/status/stream`]) {
        const reply = yield* call({ path })
        assertEnvelope(reply, 429)
        const details = { code: "RATE_LIMITED", scope: "account", limit: 2, window: null, retryAfter: 5 }
        assert.deepInclude(Object(reply.json), { details })
        assert.strictEqual(reply.headers["retry-after"], "5")
      }
      first.destroy()
      // Waits until the server has noticed.
      yield* Effect.repeat(
        Effect.map(Streams.stream(), (client) => client.status()),
        { until: (status) => status === 200 }
      )
      yield* accounts.changeLimits({ accountId, limits: { maxStreams: null } })
    }).pipe(Effect.scoped)
  )

  it.effect("shows a key with granted models only their requests", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const grant = { ...Grant.unlimited, modelEndpoints: [ModelEndpoint.make("sandbox/slow")] }
      const issued = yield* (yield* Accounts).issueKey({ accountId, name: "slow", grant })
      const authorization = `Key ${ApiKey.format(issued)}`
      const echo = yield* accepted()
      const client = yield* Streams.stream("/requests/stream", { authorization })
      yield* accepted()
      const slow = yield* accepted("sandbox/slow", { seconds: 1 })
      yield* client.until((client) => client.events().length > 0)
      assert.deepStrictEqual(Streams.told(client), [[slow, "IN_QUEUE"]])
      for (const path of [
        `/requests/stream?request_id=${echo}`,
        "/requests/stream?modelEndpoint=sandbox/echo",
        `/sandbox/echo/requests/${echo}/status/stream`
      ]) {
        assertEnvelope(yield* send(port, { path, headers: { authorization } }), 403)
      }
    })
  )
})

layer(Streams.layer().pipe(Layer.provide(Layer.succeed(MostStreams, 1))), { excludeTestServices: true })(
  "A node at its limit of streams",
  (it) => {
    it.effect("answers 503", () =>
      Effect.gen(function* () {
        yield* Streams.stream()
        const reply = yield* call({ path: "/requests/stream" })
        assertEnvelope(reply, 503)
        assert.strictEqual(reply.headers["retry-after"], "5")
      })
    )
  }
)
