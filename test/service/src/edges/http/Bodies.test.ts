import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as NaughtyBodies from "#test/support/src/edges/http/NaughtyBodies.ts"

const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = jsonHeaders) =>
  call({ method: "POST", path: "/sandbox/echo", headers, body })

const limit = 10 * 1024 * 1024

/** A valid body of exactly this size. */
const bodyOf = (bytes: number) => `{"value":"${"x".repeat(bytes - 12)}"}`

layer(TestServer.layer(), { excludeTestServices: true })("bodies", (it) => {
  it.effect.each(NaughtyBodies.refused)("that are not JSON are 400: %s", ([, body]) =>
    Effect.map(post(body), (reply) => assertEnvelope(reply, 400))
  )

  it.effect.each(NaughtyBodies.kept)("are stored unchanged: %s", ([, body]) =>
    Effect.gen(function* () {
      const { json, status } = yield* post(body)
      assert.strictEqual(status, 200)
      const retrieved = yield* call({ path: `/requests/${Object(json).request_id}` })
      assert.deepStrictEqual(Object(retrieved.json).input, JSON.parse(body))
      assert.notProperty({}, "polluted")
    })
  )

  it.effect.each([
    ['{"value":1,"value":2}', ["value"]],
    ['{"value":1,"v\\u0061lue":2}', ["value"]],
    ['{"value":[{"a":{"b":1,"c":"b","b":2}}]}', ["value", 0, "a", "b"]]
  ] as const)("with two members of one name are refused with the place: %s", ([body, path]) =>
    Effect.gen(function* () {
      const reply = yield* post(body)
      assertEnvelope(reply, 400)
      assert.deepStrictEqual(Object(reply.json).error, [
        { path: [...path], code: "uniqueItems", message: "must be given once" }
      ])
    })
  )

  it.effect("never yield reserved fields through __proto__", () =>
    Effect.gen(function* () {
      const reply = yield* post('{"value":1,"__proto__":{"webhook":"http://127.0.0.1/"}}')
      assertEnvelope(reply, 400)
      assert.include(reply.text, "__proto__")
      assert.notInclude(reply.text, "webhook")
    })
  )

  it.effect("of exactly the limit are accepted", () =>
    Effect.map(post(bodyOf(limit)), ({ status }) => assert.strictEqual(status, 200))
  )

  it.effect("over the limit are 413, announced or not", () =>
    Effect.gen(function* () {
      assertEnvelope(yield* post(bodyOf(limit + 1)), 413)
      assertEnvelope(yield* post(bodyOf(limit + 1), { ...jsonHeaders, "transfer-encoding": "chunked" }), 413)
    })
  )

  it.effect("over the limit are rejected unread when their length is announced", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const reply = yield* raw(
        port,
        `POST /sandbox/echo HTTP/1.1\r\nHost: x\r\nAuthorization: ${key}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\nExpect: 100-continue\r\n\r\n`
      )
      assert.match(reply, /^HTTP\/1\.1 413 /)
      assert.notInclude(reply, "100 Continue")
    })
  )

  it.effect.each([
    "application/json",
    "Application/JSON",
    "application/json; charset=utf-8",
    'application/json ; charset="UTF-8" ;'
  ])("are decoded as %s", (contentType) =>
    Effect.map(post('{"value":1}', { "content-type": contentType }), ({ status }) =>
      assert.strictEqual(status, 200)
    )
  )

  it.effect.each([
    {},
    { "content-type": "text/plain" },
    { "content-type": "application/x-www-form-urlencoded" },
    { "content-type": "application/json; charset=utf-16" },
    { "content-type": "application/json; charset=latin1" },
    { "content-type": "application/jsonx" },
    { "content-type": `application/json${" ".repeat(8000)}x` },
    { ...jsonHeaders, "content-encoding": "gzip" }
  ])("of another kind are 415: %j", (headers: Readonly<Record<string, string>>) =>
    Effect.map(post('{"value":1}', headers), (reply) => assertEnvelope(reply, 415))
  )
})
