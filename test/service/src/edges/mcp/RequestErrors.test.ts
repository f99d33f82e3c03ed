/** The errors of invalid requests: they say what to do and repeat nothing that the client sent. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as McpProtocol from "effect/ai/McpProtocol"
import { versions } from "#src/edges/mcp/McpEndpoint.ts"
import * as RequestErrors from "#src/edges/mcp/RequestErrors.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const ping = { jsonrpc: "2.0", id: 9, method: "ping" }
const protocols = [McpProtocol.v2025_11_25, McpProtocol.v2025_06_18, McpProtocol.v2025_03_26]

/** A server, and a session of the version. */
const open = Effect.fnUntraced(function* (version = "2025-11-25") {
  const { key } = yield* TestServer.TestServer
  const { port } = yield* ToolServer.start
  const bearer = ToolServer.bearerOf(key)
  const opened = yield* ToolClient.post(port, ToolClient.initialize(version), bearer)
  const headers = { ...bearer, "mcp-session-id": String(opened.headers["mcp-session-id"]) }
  return {
    bearer,
    port,
    post: (message: unknown, more = {}) => ToolClient.post(port, message, { ...headers, ...more })
  }
})

const request = (method: string, params?: unknown) => ({ jsonrpc: "2.0", id: 7, method, params })
const call = (params: unknown) => request("tools/call", params)

const faults = [
  [call(undefined), -32602, /the `name` of a tool/],
  [call([1]), -32602, /`params` is an object/],
  [call({ name: 5 }), -32602, /the `name` of a tool/],
  [call({ name: "hold", arguments: [1] }), -32602, /`arguments` of a tool is an object/],
  [call({ name: "hold", arguments: "SECRET" }), -32602, /`arguments` of a tool is an object/],
  [call({ name: "hold", _meta: 5 }), -32602, /`_meta` is an object/],
  [call({ name: "hold", _meta: { progressToken: {} } }), -32602, /`progressToken` a text or a number/],
  [
    request("ping", { _meta: { "io.modelcontextprotocol/protocolVersion": "SECRET" } }),
    -32602,
    /initialize agrees/
  ],
  [call({ name: "SECRET\u0000<script>" }), -32602, /no tool with this name: tools\/list has all tools/],
  [call({ name: "toString" }), -32602, /no tool with this name/],
  [request("SECRET"), -32601, /no such method/],
  [request("toString"), -32601, /no such method/],
  [request("notifications/initialized"), -32601, /no such method/],
  [request("ping", "SECRET"), -32602, /`params` is an object/],
  [request("tools/list", { cursor: "SECRET" }), -32602, /one page/],
  [request("prompts/list", { cursor: "" }), -32602, /one page/],
  [request("resources/list", { cursor: null }), -32602, /one page/],
  [request("resources/templates/list", { cursor: 5 }), -32602, /one page/],
  [request("prompts/get", { name: "SECRET" }), -32601, /no such method/],
  [request("resources/read", { uri: "secret://SECRET" }), -32601, /no such method/],
  [request("resources/subscribe", { uri: "secret://SECRET" }), -32601, /no such method/],
  [request("resources/unsubscribe", { uri: "secret://SECRET" }), -32601, /no such method/]
] as const

layer(ToolServer.layer)("a request with a fault", (it) => {
  it.effect("is answered under its id, with advice", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      for (const [message, code, reason] of faults) {
        const { json, status, text } = yield* post(message)
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual({ ...Object(json), error: null }, { jsonrpc: "2.0", id: 7, error: null })
        assert.hasAllKeys(Object(json).error, ["code", "message"])
        assert.strictEqual(Object(json).error.code, code, text)
        assert.match(Object(json).error.message, reason)
        assert.notInclude(text, "SECRET")
      }
    })
  )

  it.effect("does not affect the others of its batch", () =>
    Effect.gen(function* () {
      const { post } = yield* open("2025-03-26")
      for (const [message] of faults) {
        const { json, status, text } = yield* post([ping, message])
        // One with another version cannot be distinguished from a batch without requests.
        if (message.method === "ping" && Object(message.params)._meta !== undefined) {
          assert.match(text, /names another version in `_meta`/)
          continue
        }
        assert.strictEqual(status, 200, text)
        assert.deepInclude(json, { jsonrpc: "2.0", id: ping.id, result: {} })
      }
    })
  )

  it.effect("may be initialize; the answer has the supported versions", () =>
    Effect.gen(function* () {
      const { bearer, port } = yield* open()
      const { params } = ToolClient.initialize()
      for (const given of [
        undefined,
        { ...params, protocolVersion: 5 },
        { ...params, capabilities: undefined },
        { ...params, clientInfo: { name: "SECRET" } }
      ]) {
        const { json, status, text } = yield* ToolClient.post(port, request("initialize", given), bearer)
        assert.strictEqual(status, 200)
        assert.deepNestedInclude(Object(json), { id: 7, "error.code": -32602 })
        assert.include(text, "`params` of initialize has `protocolVersion`")
        assert.notInclude(text, "SECRET")
      }
    })
  )

  it.effect("uses a protocol version that was not negotiated", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      const { json, status, text } = yield* post(ping, { "mcp-protocol-version": "SECRET" })
      assert.strictEqual(status, 400)
      assert.deepNestedInclude(Object(json), { id: 9, "error.code": -32600 })
      for (const version of versions) assert.include(text, version)
      assert.notInclude(text, "SECRET")
    })
  )

  it.effect("is checked against the methods of every version", () =>
    Effect.sync(() => {
      assert.sameMembers(
        protocols.map(({ protocolVersion }) => String(protocolVersion)),
        Array.from(versions)
      )
      for (const { clientNotificationRpcs, clientRpcs } of protocols) {
        const all = Array.from(clientRpcs.requests.keys(), String)
        const requests = all.filter(
          (method) => !Array.from(clientNotificationRpcs.requests.keys(), String).includes(method)
        )
        assert.sameMembers(requests, Array.from(RequestErrors.methods))
      }
    })
  )

  it.effect("does not include one without optional fields", () =>
    Effect.gen(function* () {
      const { post } = yield* open()
      for (const method of ["ping", "tools/list", "prompts/list", "resources/list"]) {
        for (const params of [undefined, {}, { _meta: {} }, { _meta: { progressToken: "a" } }]) {
          const reply = yield* post(request(method, params))
          assert.property(reply.json, "result", `${method} ${reply.text}`)
        }
      }
      assert.property((yield* post(call({ name: "whoami" }))).json, "result")
    })
  )
})
