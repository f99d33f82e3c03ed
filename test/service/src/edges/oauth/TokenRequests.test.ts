import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

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
  ])("treat <MCP_URL>%s and <MCP_URL>%s as the same tool server", ([asked, redeemed]) =>
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
    "a refresh for the scope `%s` gets the granted scope",
    (scope) =>
      Effect.gen(function* () {
        const { key } = yield* TestServer.TestServer
        const { clientId, refresh } = yield* OAuth.signedIn(key)
        const reply = yield* OAuth.refresh(clientId, refresh, { scope })
        assert.strictEqual(yield* OAuth.stateOf(OAuth.tokensOf(reply).access), "alive")
        assert.deepInclude(reply.json, { scope: "mcp" })
      })
  )

  const form = "application/x-www-form-urlencoded"

  it.effect.each([
    { path: "/oauth/token", type: form, body: "", said: /^The parameter grant_type is missing\.$/ },
    { path: "/oauth/token", type: undefined, body: "", said: /grant_type is missing/ },
    {
      path: "/oauth/token",
      type: `${form};charset=utf-8`,
      body: "grant_type=",
      said: /grant_type is missing/
    },
    { path: "/oauth/token", type: form, body: "client_id=nobody", said: /grant_type is missing/ },
    {
      path: "/oauth/token",
      type: undefined,
      body: "grant_type=refresh_token",
      said: /^The Content-Type must/
    },
    { path: "/oauth/token", type: "application/json", body: "{}", said: /must be application\/x-www-form-u/ },
    { path: "/oauth/revoke", type: form, body: "", said: /^The parameter token is missing\.$/ },
    { path: "/oauth/revoke", type: "text/plain", body: "token=a", said: /must be application\/x-www-form-u/ }
  ])("report what is missing when $path gets `$body` as $type", ({ body, path, said, type }) =>
    Effect.gen(function* () {
      const headers = type === undefined ? {} : { "content-type": type }
      const reply = yield* OAuth.call({ method: "POST", path, headers, body })
      assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [400, "invalid_request"])
      assert.match(OAuth.descriptionOf(reply), said)
      assert.strictEqual(reply.headers["cache-control"], "no-store")
    })
  )

  it.effect("receive one text for every fault of a code or a refresh token", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const other = yield* OAuth.registered()
      const { client_id: clientId } = yield* OAuth.registered()
      const code = yield* OAuth.code(clientId, key)
      const stolen = yield* OAuth.exchange(other.client_id, code)
      const unproven = yield* OAuth.exchange(clientId, code, { code_verifier: "w".repeat(43) })
      const { refresh } = OAuth.tokensOf(yield* OAuth.exchange(clientId, code))
      const misused = yield* OAuth.refresh(other.client_id, refresh)
      const replayed = yield* OAuth.exchange(clientId, code)
      const ended = yield* OAuth.refresh(clientId, refresh)
      for (const reply of [stolen, unproven, misused, replayed, ended]) {
        assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [400, "invalid_grant"])
        assert.match(
          OAuth.descriptionOf(reply),
          /^The code or refresh token is not valid.*: sign in again\.$/
        )
        assert.strictEqual(reply.text, stolen.text)
      }
    })
  )

  it.effect("a refresh token of the server's previous address is invalid, for any scope", () =>
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
