import * as crypto from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as McpMessages from "#test/support/src/edges/mcp/McpMessages.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as TestServer from "#test/support/TestServer.ts"

layer(TestServer.layer(), { excludeTestServices: true })(
  "a message beyond the size of other bodies",
  (it) => {
    it.effect("uploads a file, and is rejected by other tools", () =>
      Effect.gen(function* () {
        const { key, urls } = yield* TestServer.TestServer
        const { access } = yield* OAuth.signedIn(key)
        const session = yield* McpMessages.begin(`${urls.mcpUrl}/mcp`, access)
        // Larger than bodies may be on other routes.
        const bytes = crypto.randomBytes(9 * 1024 * 1024)
        const data = bytes.toString("base64")
        const uploaded = yield* session.tool("upload_file", { data, fileName: "large.bin" })
        assert.deepInclude(uploaded, {
          size: bytes.length,
          sha256: crypto.hash("sha256", bytes)
        })
        const read = yield* Effect.promise(async () => {
          const response = await fetch(String(uploaded["fileUrl"]))
          return Buffer.from(await response.arrayBuffer())
        })
        assert.isTrue(bytes.equals(read))
        const refused = yield* session.call("run_model", { data })
        assert.strictEqual(refused.status, 413)
        assert.match(refused.text, /Only `upload_file` takes/)
      })
    )
  }
)
