import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { send } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"

const unknownId = "rq0000000000000000000"

/** Every route that needs a key, for the request with that id. */
const routes = (id: string) =>
  [
    ["POST", "/sandbox/echo"],
    ["GET", `/sandbox/echo/requests/${id}/status`],
    ["GET", `/sandbox/echo/requests/${id}`],
    ["GET", `/sandbox/echo/requests/${id}/cancel`],
    ["PUT", `/sandbox/echo/requests/${id}/cancel`],
    ["POST", `/sandbox/echo/requests/${id}/cancel`],
    ["GET", `/requests/${id}`]
  ] as const

/** Without a request id. */
const webhookRoutes = [
  ["GET", "/webhooks/deliveries"],
  ["GET", "/webhooks/deliveries/msg_p5jXN8AQM9LWM0D4loKWxJ"],
  ["POST", "/webhooks/deliveries/msg_p5jXN8AQM9LWM0D4loKWxJ/replay"],
  ["POST", "/webhooks/deliveries/recover"],
  ["GET", "/webhooks/default/secret"],
  ["POST", "/webhooks/default/secret/rotate"]
] as const

/** For a file, without a request id. */
const fileRoutes = [
  ["POST", "/storage/upload/initiate"],
  ["POST", "/storage/upload/initiate-multipart"],
  ["GET", "/storage/upload/multipart-url"],
  ["GET", "/storage/upload/parts"],
  ["POST", "/storage/upload/complete"],
  ["GET", "/files"],
  ["GET", "/files/Zm9vYmFyYmF6cXV4cXV1eDEy"],
  ["DELETE", "/files/Zm9vYmFyYmF6cXV4cXV1eDEy"]
] as const

const routesOfOne = routes(unknownId).slice(1)

layer(TestServer.layer(), { excludeTestServices: true })("access", (it) => {
  it.effect.each([...routes(unknownId), ...webhookRoutes, ...fileRoutes])(
    "%s %s needs a valid key before all else",
    ([method, path]) =>
      Effect.gen(function* () {
        const { key, port } = yield* TestServer.TestServer
        const wrong = [
          undefined,
          "",
          "Key",
          "Key nobody:nothing",
          "Bearer x",
          `Basic ${key.slice(4)}`,
          `${key}x`
        ]
        for (const authorization of wrong) {
          const headers = {
            ...(authorization === undefined ? {} : { authorization }),
            "content-type": "text/plain"
          }
          const reply = yield* send(port, { method, path, headers })
          assertEnvelope(reply, 401)
          assert.strictEqual(reply.headers["www-authenticate"], "Key")
        }
      })
  )

  it.effect("a body is not read before the key is known", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      const headers = { ...jsonHeaders, "content-length": "1000000" }
      // No byte of the body is ever sent.
      const reply = yield* send(port, { method: "POST", path: "/sandbox/echo", headers })
      assertEnvelope(reply, 401)
    })
  )

  it.effect.each(routesOfOne)("%s %s is 404 for an unknown id", ([method, path]) =>
    Effect.map(call({ method, path }), (reply) => assertEnvelope(reply, 404))
  )

  it.effect.each(
    ["short", "x".repeat(22), "rq000000000000000000.", "rq00000000000000000%C3%A9"].flatMap((id) =>
      routes(id).slice(1)
    )
  )("%s %s is 400 for a malformed id", ([method, path]) =>
    Effect.map(call({ method, path }), (reply) => assertEnvelope(reply, 400))
  )

  it.effect("a request of another account is 403 on every route, without details", () =>
    Effect.gen(function* () {
      const { otherKey } = yield* TestServer.TestServer
      const id = yield* accepted("sandbox/echo", { value: "private matter" })
      for (const [method, path] of routes(id).slice(1)) {
        const reply = yield* call({ method, path, headers: { authorization: otherKey } })
        assertEnvelope(reply, 403)
        assert.notInclude(reply.text, "private")
      }
      const { json } = yield* call({ path: `/requests/${id}` })
      assert.deepInclude(json, { status: "IN_QUEUE" })
    })
  )

  it.effect("a request is not found under another model", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      for (const [method, path] of routes(id).slice(1, -1)) {
        const other = path.replace("/sandbox/echo", "/sandbox/slow")
        assertEnvelope(yield* call({ method, path: other }), 404)
      }
    })
  )
})
