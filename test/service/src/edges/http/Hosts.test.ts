import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import * as FileCalls from "#test/support/src/edges/http/FileCalls.ts"
import { accepted, assertEnvelope, call, jsonHeaders, submit } from "#test/support/src/edges/http/Calls.ts"

const urls = {
  queueUrl: "https://queue.acme.dev",
  baseUrl: "https://api.acme.dev",
  mediaUrl: "https://media.acme.dev:8443",
  mcpUrl: "https://mcp.acme.dev"
}

const queue = { host: "queue.acme.dev" }
const id = "rq0000000000000000000"

layer(TestServer.layer({ urls }), { excludeTestServices: true })("with four hosts", (it) => {
  it.effect("answers contain the public addresses", () =>
    Effect.gen(function* () {
      const { json } = yield* submit({ value: 1 }, queue)
      assert.match(Object(json).status_url, /^https:\/\/queue\.acme\.dev\/sandbox\/echo\/requests\//)
    })
  )

  it.effect.each(["queue.acme.dev", "QUEUE.acme.dev:443", "api.acme.dev"])(
    "a request is retrieved at %s",
    (host) =>
      Effect.gen(function* () {
        const { json } = yield* submit({ value: 1 }, queue)
        const reply = yield* call({ path: `/requests/${Object(json).request_id}`, headers: { host } })
        assert.strictEqual(reply.status, 200)
      })
  )

  it.effect.each([
    ["POST", "/sandbox/echo", "api.acme.dev"],
    ["POST", "/sandbox/echo", "media.acme.dev:8443"],
    ["POST", "/sandbox/echo", "elsewhere.acme.dev"],
    ["GET", `/requests/${id}`, "mcp.acme.dev"],
    ["GET", `/media/${"x".repeat(24)}/a.png`, "queue.acme.dev"],
    ["GET", "/sandbox/echo", "api.acme.dev"],
    ["GET", "/webhooks/deliveries", "queue.acme.dev"],
    ["POST", "/webhooks/deliveries/recover", "media.acme.dev:8443"],
    ["GET", "/webhooks/default/secret", "mcp.acme.dev"],
    ["POST", "/mcp", "api.acme.dev"],
    ["POST", "/storage/upload/initiate", "queue.acme.dev"],
    ["GET", "/files", "media.acme.dev:8443"],
    ["DELETE", `/files/${"x".repeat(24)}`, "queue.acme.dev"],
    ["PUT", `/media/${"x".repeat(24)}/a.png`, "api.acme.dev"]
  ] as const)("%s %s is not a route of %s", ([method, path, host]) =>
    Effect.gen(function* () {
      const reply = yield* call({ method, path, headers: { ...jsonHeaders, host } })
      assertEnvelope(reply, 404)
      assert.deepInclude(reply.json, { error: "Route not found." })
    })
  )

  it.effect.each(["queue.acme.dev", "elsewhere.acme.dev"])("health is answered at %s", (host) =>
    Effect.map(call({ path: "/health", headers: { host } }), ({ status }) => assert.strictEqual(status, 200))
  )

  it.effect.each(["/webhooks/deliveries", "/webhooks/default/secret", "/files"])(
    "%s is on the platform host",
    (path) =>
      Effect.gen(function* () {
        const reply = yield* call({ path, headers: { host: "api.acme.dev" } })
        assert.strictEqual(reply.status, 200)
      })
  )

  it.effect("bytes are uploaded to the media host and served from it", () =>
    Effect.gen(function* () {
      const { file_url, upload_url } = yield* FileCalls.initiate(FileCalls.cat, { host: "api.acme.dev" })
      assert.strictEqual(new URL(upload_url).origin, urls.mediaUrl)
      const host = new URL(urls.mediaUrl).host
      const put = yield* FileCalls.put(upload_url, "purr", { "content-type": "image/png", host })
      assert.strictEqual(put.status, 200)
      assert.strictEqual((yield* FileCalls.get(file_url, { host })).text, "purr")
    })
  )

  it.effect("the description has the host of each route", () =>
    Effect.gen(function* () {
      const { paths, servers } = Object((yield* call({ path: "/openapi.json" })).json)
      assert.deepStrictEqual(
        servers,
        Object.values(urls).map((url) => ({ url }))
      )
      assert.deepStrictEqual(paths["/requests/{requestId}"].get.servers, [
        { url: urls.queueUrl },
        { url: urls.baseUrl }
      ])
      assert.deepStrictEqual(paths["/webhooks/deliveries"].get.servers, [{ url: urls.baseUrl }])
      assert.notProperty(paths["/health"].get, "servers")
    })
  )
})

layer(TestServer.layer(), { excludeTestServices: true })("with one host", (it) => {
  it.effect("the Host header does not matter", () =>
    Effect.gen(function* () {
      const request = yield* accepted()
      const reply = yield* call({ path: `/requests/${request}`, headers: { host: "anything.acme.dev" } })
      assert.strictEqual(reply.status, 200)
    })
  )
})
