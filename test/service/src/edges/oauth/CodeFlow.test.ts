import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { AccessTokens } from "#src/edges/oauth/AccessTokens.ts"
import { AuthorizationServer } from "#src/edges/oauth/AuthorizationServer.ts"
import { Interactions } from "#src/edges/oauth/Interactions.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

layer(TestServer.layer(), { excludeTestServices: true })("the code flow", (it) => {
  it.effect("ends with tokens for the tools, limited to the key's scopes", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const url = yield* OAuth.allowed(yield* OAuth.begun(clientId), yield* OAuth.byKey(key))
      assert.strictEqual(url.origin + url.pathname, OAuth.redirectUri)
      assert.deepInclude(Object.fromEntries(url.searchParams), { state: "st", iss: urls.mcpUrl })
      const reply = yield* OAuth.exchange(clientId, OAuth.codeOf(url))
      const { access } = OAuth.tokensOf(reply)
      assert.deepInclude(reply.json, { token_type: "Bearer", expires_in: 3_600, scope: "mcp" })
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.strictEqual(reply.headers["x-content-type-options"], "nosniff")
      const bearer = yield* (yield* AccessTokens).authenticate(`bEARER ${access}`)
      assert.strictEqual(bearer.clientId, clientId)
      assert.strictEqual(bearer.caller.keyId, "alpha")
      assert.deepStrictEqual(bearer.caller.grant.scopes, ["requests:write", "requests:read", "files:write"])
    })
  )

  it.effect("sends a denial to the address for the code", () =>
    Effect.gen(function* () {
      const uri = "https://app.acme.dev/cb"
      const { client_id: clientId } = yield* OAuth.registered({ redirect_uris: [uri] })
      const url = yield* OAuth.denied(yield* OAuth.begun(clientId, { redirect_uri: uri }))
      assert.strictEqual(url.origin + url.pathname, uri)
      assert.strictEqual(url.searchParams.get("error"), "access_denied")
    })
  )

  it.effect.each([
    { registered: "http://127.0.0.1/callback", asked: "http://127.0.0.1:49152/callback" },
    { registered: "http://localhost:3000/cb", asked: "http://localhost:3118/cb" },
    { registered: "http://[::1]/cb", asked: "http://[::1]:9/cb" },
    { registered: "cursor://anysphere.mcp/oauth", asked: "cursor://anysphere.mcp/oauth" },
    { registered: "https://app.acme.dev/cb?tenant=1", asked: "https://app.acme.dev/cb?tenant=1" }
  ])("sends a client that registered $registered to $asked", ({ asked, registered }) =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered({ redirect_uris: [registered] })
      const visit = yield* OAuth.begun(clientId, { redirect_uri: asked })
      assert.strictEqual((yield* OAuth.pendingOf(visit)).redirectUri, asked)
      const url = yield* OAuth.allowed(visit, yield* OAuth.byKey(key))
      assert.isTrue(url.href.startsWith(asked), url.href)
      OAuth.tokensOf(yield* OAuth.exchange(clientId, OAuth.codeOf(url), { redirect_uri: asked }))
    })
  )

  it.effect.each<{ readonly what: string; readonly fields: OAuth.Fields; readonly error: string }>([
    { what: "another verifier", fields: { code_verifier: "w".repeat(43) }, error: "invalid_grant" },
    { what: "no verifier", fields: { code_verifier: undefined }, error: "invalid_grant" },
    {
      what: "another address",
      fields: { redirect_uri: "http://127.0.0.1:80/callback" },
      error: "invalid_grant"
    },
    { what: "another resource", fields: { resource: "https://elsewhere.dev/mcp" }, error: "invalid_target" },
    { what: "an unknown code", fields: { code: "none" }, error: "invalid_grant" },
    { what: "another grant type", fields: { grant_type: "password" }, error: "unsupported_grant_type" }
  ])("issues nothing for $what", ({ error, fields }) =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const reply = yield* OAuth.exchange(clientId, yield* OAuth.code(clientId, key), fields)
      assert.deepStrictEqual([reply.status, OAuth.errorOf(reply)], [400, error])
    })
  )

  it.effect("issues nothing to another client", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const other = yield* OAuth.registered()
      const code = yield* OAuth.code(clientId, key)
      assert.strictEqual(OAuth.errorOf(yield* OAuth.exchange(other.client_id, code)), "invalid_grant")
      const unknown = yield* OAuth.exchange("nobody", code)
      assert.deepStrictEqual([unknown.status, OAuth.errorOf(unknown)], [401, "invalid_client"])
      OAuth.tokensOf(yield* OAuth.exchange(clientId, code))
    })
  )

  it.effect("redeems a code once: a second use ends all its tokens", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const code = yield* OAuth.code(clientId, key)
      const { access, refresh } = OAuth.tokensOf(yield* OAuth.exchange(clientId, code))
      assert.strictEqual(yield* OAuth.stateOf(access), "alive")
      assert.strictEqual(OAuth.errorOf(yield* OAuth.exchange(clientId, code)), "invalid_grant")
      assert.strictEqual(yield* OAuth.stateOf(access), "invalid")
      assert.strictEqual(OAuth.errorOf(yield* OAuth.refresh(clientId, refresh)), "invalid_grant")
    })
  )

  it.effect("issues tokens to one of several concurrent uses of a code", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const code = yield* OAuth.code(clientId, key)
      const { answer } = yield* AuthorizationServer
      const { body = "", headers = {}, path } = OAuth.redemption(clientId, code)
      const asked = { method: "POST", target: path, headers, body: Buffer.from(body) }
      // Without sockets, which would deliver them one after the other.
      const replies = yield* Effect.all(
        Array.from({ length: 8 }, () => answer(asked)),
        { concurrency: "unbounded" }
      )
      const winners = replies.filter(({ status }) => status === 200)
      assert.lengthOf(winners, 1)
      for (const reply of replies) {
        if (reply.status !== 200) assert.strictEqual(JSON.parse(reply.body).error, "invalid_grant")
      }
    })
  )

  it.effect("reports a denial to the client", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const url = yield* OAuth.denied(yield* OAuth.begun(clientId))
      const told = Object.fromEntries(url.searchParams)
      assert.deepInclude(told, { error: "access_denied", state: "st", iss: urls.mcpUrl })
      assert.notProperty(told, "code")
    })
  )

  it.effect("names the client to the user, only in the browser where the flow began", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered({
        redirect_uris: [OAuth.redirectUri],
        client_name: "Acme"
      })
      const visit = yield* OAuth.begun(clientId)
      const other = yield* OAuth.begun(clientId)
      assert.deepStrictEqual(yield* OAuth.pendingOf(visit), {
        uid: visit.uid,
        clientId,
        clientName: "Acme",
        redirectUri: OAuth.redirectUri
      })
      const interactions = yield* Interactions
      const forged = visit.cookies.replaceAll(visit.uid, other.uid)
      const unsigned = visit.cookies.replaceAll(/\.sig=./g, (text) =>
        text === ".sig=A" ? ".sig=B" : ".sig=A"
      )
      for (const cookies of ["", other.cookies, forged, unsigned]) {
        const seen = yield* Effect.flip(interactions.pending(OAuth.browser(cookies), visit.uid))
        assert.strictEqual(seen._tag, "InteractionGone")
      }
    })
  )

  it.effect("is decided once: a repeat has the same result, and later the flow is over", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const sql = yield* OAuthDatabase
      const interactions = yield* Interactions
      const { client_id: clientId } = yield* OAuth.registered()
      const visit = yield* OAuth.begun(clientId)
      const pending = yield* OAuth.pendingOf(visit)
      const signedIn = yield* OAuth.byKey(key)
      const allow = interactions.allow(OAuth.browser(visit.cookies), pending, signedIn)
      const [first, second] = yield* Effect.all([allow, allow], { concurrency: 2 })
      assert.strictEqual(first, second)
      const [row] = yield* sql`SELECT count(*) AS logins FROM logins WHERE client_id = ${clientId}`
      assert.deepStrictEqual({ ...row }, { logins: 1 })
      yield* OAuth.allowed(visit, signedIn, pending)
      const over = yield* Effect.flip(OAuth.pendingOf(visit))
      assert.strictEqual(over._tag, "InteractionGone")
    })
  )

  it.effect("asks for consent each time, also in a browser that has signed in before", () =>
    Effect.gen(function* () {
      const { key, otherKey } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const first = yield* OAuth.begun(clientId)
      yield* OAuth.allowed(first, yield* OAuth.byKey(key))
      const second = yield* OAuth.begun(clientId)
      const both = { uid: second.uid, cookies: `${first.cookies}; ${second.cookies}` }
      const url = yield* OAuth.allowed({ ...both, cookies: second.cookies }, yield* OAuth.byKey(otherKey))
      const { access } = OAuth.tokensOf(yield* OAuth.exchange(clientId, OAuth.codeOf(url)))
      const { caller } = yield* OAuth.bearerOf(access)
      assert.strictEqual(caller.keyId, "beta")
    })
  )
})
