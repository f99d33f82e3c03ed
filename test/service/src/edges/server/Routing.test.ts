import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OpenApi } from "effect/http-api"
import { Api } from "#src/edges/server/Api.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { accepted, assertEnvelope, call } from "#test/support/src/edges/http/Calls.ts"

const id = "rq0000000000000000000"

const parameters: Readonly<Record<string, string>> = {
  ownerName: "sandbox",
  modelName: "echo",
  requestId: id
}

/** Every declared route, with a value for each of its parameters. */
const declaredRoutes = Object.entries(OpenApi.fromApi(Api).paths).flatMap(([path, item]) =>
  ["get", "put", "post", "delete"].flatMap((method) =>
    method in item
      ? [
          [
            method.toUpperCase(),
            path,
            path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters[name] ?? "x")
          ] as const
        ]
      : []
  )
)

layer(TestServer.layer(), { excludeTestServices: true })("routing", (it) => {
  it.effect.each(declaredRoutes)("%s %s is served as declared", ([method, , path]) =>
    Effect.gen(function* () {
      // A stream would not end, so this is not a position in one.
      const { json, status } = yield* call({ method, path, headers: { "last-event-id": "nowhere" } })
      assert.notInclude([405, 500], status)
      assert.notStrictEqual(Reflect.get(Object(json), "error"), "Route not found.")
    })
  )

  it.effect.each([
    ["GET", "/nowhere"],
    ["GET", "/sandbox/echo/more"],
    ["POST", "/sandbox"],
    ["POST", "/Sandbox/echo"],
    ["POST", "/sandbox/Echo"],
    ["POST", "/-sandbox/echo"],
    ["POST", "/sandbox/e%20cho"],
    ["POST", "/sandbox/e%2Fcho"],
    ["POST", `/${"s".repeat(65)}/echo`],
    ["POST", `/${"s".repeat(5000)}/echo`],
    ["POST", "/storage/anything"],
    ["POST", "/.well-known/anything"],
    ["POST", "/models/echo"],
    ["GET", "/webhooks"],
    ["GET", "/webhooks/default"],
    ["GET", "/webhooks/other/secret"],
    ["GET", "/webhooks/deliveries/recover"],
    ["GET", `/requests/${id}/${id}`],
    ["GET", "/HEALTH"],
    ["PROPFIND", "/nowhere"],
    ["GET", `/storage/echo/requests/${id}/status`]
  ] as const)("%s %s is 404", ([method, path]) =>
    Effect.map(call({ method, path }), (reply) => assertEnvelope(reply, 404))
  )

  it.effect.each([
    ["GET", "/sandbox/echo", "POST"],
    ["OPTIONS", "/sandbox/echo", "POST"],
    ["POST", "/health", "GET, HEAD"],
    ["POST", `/requests/${id}`, "GET, HEAD"],
    ["DELETE", `/sandbox/echo/requests/${id}`, "GET, HEAD"],
    ["PUT", `/sandbox/echo/requests/${id}/status`, "GET, HEAD"],
    ["PATCH", `/sandbox/echo/requests/${id}/cancel`, "GET, POST, PUT"],
    ["PROPFIND", "/openapi.json", "GET, HEAD"],
    ["POST", "/webhooks/deliveries", "GET, HEAD"],
    ["DELETE", "/webhooks/deliveries/msg_x", "GET, HEAD"],
    ["PUT", "/webhooks/deliveries/recover", "GET, HEAD, POST"],
    ["GET", "/webhooks/deliveries/msg_x/replay", "POST"],
    ["POST", "/webhooks/default/secret", "GET, HEAD"],
    ["GET", "/webhooks/default/secret/rotate", "POST"]
  ] as const)("%s %s is 405", ([method, path, allow]) =>
    Effect.gen(function* () {
      const reply = yield* call({ method, path })
      assertEnvelope(reply, 405)
      assert.strictEqual(reply.headers.allow, allow)
    })
  )

  it.effect.each(["/%zz", "/sandbox/%", "/%c3%28/echo", `/requests/%ff`])("%s is not a path: 400", (path) =>
    Effect.map(call({ path }), (reply) => assertEnvelope(reply, 400))
  )

  it.effect("HEAD is answered like GET, without the body", () =>
    Effect.gen(function* () {
      const request = yield* accepted()
      const paths = ["/health", "/openapi.json", `/requests/${request}`]
      for (const path of [...paths, "/webhooks/deliveries", "/webhooks/default/secret"]) {
        const head = yield* call({ method: "HEAD", path })
        const get = yield* call({ path })
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.strictEqual(head.headers["content-length"], get.headers["content-length"])
      }
    })
  )

  it.effect("every answer has its own id, which errors name", () =>
    Effect.gen(function* () {
      const health = yield* call({ path: "/health" })
      const missing = yield* call({ path: "/nowhere" })
      assert.match(String(health.headers["x-request-id"]), /^call_[\w-]{21}$/)
      assert.deepInclude(missing.json, { request_id: missing.headers["x-request-id"] })
      assert.notStrictEqual(health.headers["x-request-id"], missing.headers["x-request-id"])
      assert.strictEqual(missing.headers["x-content-type-options"], "nosniff")
      assert.notProperty(missing.headers, "access-control-allow-origin")
    })
  )
})
