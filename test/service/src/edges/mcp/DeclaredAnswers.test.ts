/** The refusals of the tool server match its OpenAPI document. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi, OpenApi } from "effect/http-api"
import { McpApi } from "#src/edges/mcp/routes/McpApi.ts"
import * as DeclaredSchemas from "#test/support/src/edges/http/DeclaredSchemas.ts"
import * as HttpProbe from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as ToolClient from "#test/support/src/edges/mcp/ToolClient.ts"
import * as ToolServer from "#test/support/src/edges/mcp/ToolServer.ts"

class Api extends HttpApi.make("tools").add(McpApi) {}

const document = OpenApi.fromApi(Api)
const schemas = DeclaredSchemas.of(document)

const assertDeclared = (method: "post" | "get" | "delete", status: number, reply: HttpProbe.Reply) => {
  assert.strictEqual(reply.status, status, reply.text)
  const schema = document.paths["/mcp"]?.[method]?.responses[status]?.content?.["application/json"]?.schema
  assert.isDefined(schema, `${method} declares no ${status}`)
  assert.isNull(schemas.breach(Object(schema), reply.json), reply.text)
}

it("declares no success for a request for a stream", () => {
  const statuses = Object.keys(document.paths["/mcp"]?.get?.responses ?? {})
  assert.include(statuses, "405")
  assert.isEmpty(statuses.filter((status) => Number(status) < 400))
})

layer(ToolServer.layer)("an answer of the tool server", (it) => {
  it.effect("has a declared status and form", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { port } = yield* ToolServer.start
      const bearer = ToolServer.bearerOf(key)
      const unknown = { ...bearer, "mcp-session-id": "none" }
      const ping = { jsonrpc: "2.0", id: 9, method: "ping" }
      assertDeclared("post", 400, yield* ToolClient.post(port, ping, bearer))
      assertDeclared("post", 401, yield* ToolClient.post(port, ping, {}))
      assertDeclared("post", 404, yield* ToolClient.post(port, ping, unknown))
      assertDeclared("post", 406, yield* ToolClient.post(port, ping, { ...bearer, accept: "text/html" }))
      const get = (headers: Readonly<Record<string, string>>) =>
        HttpProbe.send(port, { method: "GET", path: "/mcp", headers })
      assertDeclared("get", 401, yield* get({}))
      assertDeclared("get", 405, yield* get(bearer))
      assertDeclared("delete", 400, yield* ToolClient.end(port, bearer))
      assertDeclared("delete", 404, yield* ToolClient.end(port, unknown))
    })
  )
})
