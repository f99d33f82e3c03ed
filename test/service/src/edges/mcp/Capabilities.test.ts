import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Capabilities from "#src/edges/mcp/Capabilities.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

const answer = (message: unknown) => HttpServerResponse.jsonUnsafe(message, { status: 200 })

const told = (message: unknown): unknown => {
  const { body } = Capabilities.truthful(answer(message))
  return body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : body
}

const initialized = (capabilities: unknown) => ({
  jsonrpc: "2.0",
  id: "ä",
  result: { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "test", version: "1" } }
})

describe("the capabilities in the answer to initialize", () => {
  it("exclude change notifications and logs, and completion when there are only tools", () => {
    const promised = { completions: {}, logging: {}, tools: { listChanged: true } }
    assert.deepStrictEqual(told(initialized(promised)), initialized({ tools: {} }))
  })

  it("include completion when available, and the server's other capabilities", () => {
    const promised = { completions: {}, logging: {}, prompts: { listChanged: true } }
    assert.deepStrictEqual(told(initialized(promised)), initialized({ prompts: {}, completions: {} }))
    const resources = { completions: {}, resources: { listChanged: true, subscribe: false } }
    assert.deepStrictEqual(
      told(initialized(resources)),
      initialized({ resources: { subscribe: false }, completions: {} })
    )
  })

  it("are the same in every answer", () => {
    const refused = { jsonrpc: "2.0", id: 1, error: { code: -32602, message: "no" } }
    for (const message of [refused, { result: { capabilities: 1 } }, [initialized({ logging: {} })], null]) {
      const response = answer(message)
      assert.strictEqual(Capabilities.truthful(response), response)
    }
    const empty = HttpServerResponse.empty({ status: 404 })
    assert.strictEqual(Capabilities.truthful(empty), empty)
  })
})

layer(ToolServer.layer)("the tool server", (it) => {
  it.effect("declares its tools, and only what it supports", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { port } = yield* ToolServer.start
      for (const version of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
        const opened = yield* ToolClient.post(port, ToolClient.initialize(version), ToolServer.bearerOf(key))
        const { capabilities, serverInfo } = Object(opened.json).result
        assert.deepStrictEqual(capabilities, { tools: {} }, version)
        assert.strictEqual(serverInfo.name, "inferlog")
      }
    })
  )
})
