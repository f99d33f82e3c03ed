import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { call, submit } from "#test/support/src/edges/http/Calls.ts"

layer(TestServer.layer(), { excludeTestServices: true })(
  "query parameters that a route does not declare",
  (it) => {
    it.effect.each([
      "/requests?stauts=COMPLETED",
      "/requests?status=COMPLETED&stauts=x",
      "/files?contenttype=image/png",
      "/account/balance?x=1",
      "/models?search=a&categroy=image",
      "/health?verbose=1",
      "/openapi.json?v=1"
    ])("are rejected with their name: %s", (path) =>
      Effect.gen(function* () {
        const { json, status } = yield* call({ path })
        assert.strictEqual(status, 400)
        const wrong = ["stauts", "contenttype", "x", "categroy", "verbose", "v"]
        const { error } = Object(json)
        assert.deepInclude(error[0], { code: "unknown", message: "is not a query parameter of this route" })
        assert.include(wrong, error[0].path[0])
      })
    )

    it.effect("are rejected on the fast path too, before a request is accepted", () =>
      Effect.gen(function* () {
        const reply = yield* submit({ value: 1 }, {}, "sandbox/echo?wiat=5")
        assert.strictEqual(reply.status, 400)
        assert.deepInclude(Object(reply.json).error[0], { path: ["wiat"] })
      })
    )

    it.effect("are named in short plain text, and only the first ones", () =>
      Effect.gen(function* () {
        const many = Array.from({ length: 24 }, (_, index) => `${"%C3%A9".repeat(80)}${index}=1`).join("&")
        const { json } = yield* call({ path: `/keys?${many}` })
        const { error } = Object(json)
        assert.strictEqual(error.length, 20)
        assert.strictEqual(error[0].path[0], "?".repeat(64))
      })
    )

    it.effect("are ignored where a protocol requires it, and for a client's own names", () =>
      Effect.gen(function* () {
        const { port } = yield* TestServer.TestServer
        const told = yield* HttpProbe.send(port, { path: "/.well-known/oauth-authorization-server?x=1" })
        assert.strictEqual(told.status, 200)
        assert.strictEqual((yield* call({ path: "/requests?metadata.customer=c-42" })).status, 200)
        assert.strictEqual((yield* call({ path: "/docs?utm_source=x" })).status, 200)
      })
    )
  }
)
