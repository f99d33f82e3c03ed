import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAuthDatabase } from "#src/oauth/OAuthDatabase.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "./OAuthCalls.ts"

layer(TestServer.layer(), { excludeTestServices: true })("requests for tokens", (it) => {
  it.effect.each<readonly [asked: string | undefined, redeemed: string | undefined]>([
    ["/mcp", "/mcp"],
    ["/mcp/", "/mcp/"],
    ["", ""],
    ["/", "/"],
    ["/mcp", ""],
    ["/", "/mcp/"],
    [undefined, "/"],
    ["", undefined]
  ])("mean the same tool server by <MCP_URL>%s and <MCP_URL>%s", ([asked, redeemed]) =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const named = (path?: string): OAuth.Fields =>
        path === undefined ? {} : { resource: `${urls.mcpUrl}${path}` }
      const { client_id: clientId } = yield* OAuth.registered()
      const visit = yield* OAuth.begun(clientId, { ...named(asked), scope: "mcp openid offline_access" })
      const code = OAuth.codeOf(yield* OAuth.allowed(visit, yield* OAuth.byKey(key)))
      let tokens = OAuth.tokensOf(yield* OAuth.exchange(clientId, code, named(redeemed)))
      assert.strictEqual(yield* OAuth.stateOf(tokens.access), "alive")
      for (const fields of [named(redeemed), named(asked), named("/mcp"), {}, { resource: "" }]) {
        tokens = OAuth.tokensOf(yield* OAuth.refresh(clientId, tokens.refresh, fields))
        assert.strictEqual(yield* OAuth.stateOf(tokens.access), "alive")
      }
    })
  )

  it.effect.each(["", "mcp offline_access", "openid email profile", "claudeai"])(
    "a refresh that asks for the scope `%s` gets the one that there is",
    (scope) =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const { clientId, refresh } = yield* OAuth.signedIn(key)
        const reply = yield* OAuth.refresh(clientId, refresh, { scope })
        assert.strictEqual(yield* OAuth.stateOf(OAuth.tokensOf(reply).access), "alive")
        assert.deepInclude(reply.json, { scope: "mcp" })
      })
  )

  it.effect(
    "a refresh token of the address that the server had before means nothing, whatever is asked for",
    () =>
      Effect.gen(function* () {
        const { key, urls } = yield* TestServer.TestServer
        const sql = yield* OAuthDatabase
        const { clientId, refresh } = yield* OAuth.signedIn(key)
        const before = "https://before.dev/mcp"
        yield* sql`
        UPDATE oauth_records SET payload = json_set(payload, '$.resource', ${before})
        WHERE model = 'RefreshToken' AND json_extract(payload, '$.clientId') = ${clientId}`
        for (const fields of [{}, { resource: `${urls.mcpUrl}/mcp` }, { resource: before }]) {
          const reply = yield* OAuth.refresh(clientId, refresh, fields)
          assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [400, "invalid_grant"])
        }
      })
  )
})
