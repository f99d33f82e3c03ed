import * as crypto from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as TestServer from "#test/support/TestServer.ts"

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

const post = (url: string, headers: Readonly<Record<string, string>>, message: object) =>
  Effect.promise(async (): Promise<Reply> => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify(message)
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

/** The message of an answer, in an event or not. */
const messageOf = ({ text }: Reply): unknown =>
  JSON.parse(text.startsWith("{") ? text : (/^data: ?(\{.*)$/m.exec(text)?.[1] ?? "null"))

const call = (id: number, name: string, args: object) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" }
  }
}

layer(TestServer.layer(), { excludeTestServices: true })(
  "a message beyond the size of other bodies",
  (it) => {
    it.effect("uploads a file, and is rejected by other tools", () =>
      Effect.gen(function* () {
        const { key, urls } = yield* TestServer.TestServer
        const { access } = yield* OAuth.signedIn(key)
        const url = `${urls.mcpUrl}/mcp`
        const authorization = `Bearer ${access}`
        const begun = yield* post(url, { authorization }, initialize)
        const session = {
          authorization,
          "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
          "mcp-protocol-version": "2025-11-25"
        }
        // Larger than bodies may be on other routes.
        const bytes = crypto.randomBytes(9 * 1024 * 1024)
        const data = bytes.toString("base64")
        const uploaded = yield* post(url, session, call(1, "upload_file", { data, fileName: "large.bin" }))
        const message = messageOf(uploaded)
        const result = Object(Reflect.get(Object(message), "result"))
        assert.deepInclude(result.structuredContent, {
          size: bytes.length,
          sha256: crypto.hash("sha256", bytes)
        })
        const read = yield* Effect.promise(async () => {
          const response = await fetch(result.structuredContent.fileUrl)
          return Buffer.from(await response.arrayBuffer())
        })
        assert.isTrue(bytes.equals(read))
        const refused = yield* post(url, session, call(2, "run_model", { data }))
        assert.strictEqual(refused.status, 413)
        assert.match(refused.text, /Only `upload_file` takes/)
      })
    )
  }
)
