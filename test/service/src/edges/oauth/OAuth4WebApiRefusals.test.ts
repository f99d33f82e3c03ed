/** All wrong requests that a strict client can be made to send are refused (RFC 6749, 7636, 8707, 9700). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { OAuthClient, redirectUri, errorAnswerOf } from "#test/support/src/edges/oauth/OAuthClient.ts"
import { scenario, scene } from "#test/support/src/edges/oauth/OAuthScene.ts"

layer(TestServer.layer(), { excludeTestServices: true })("an OAuth client that violates the rules", (it) => {
  it.effect("cannot register a forbidden redirect address", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      for (const uri of [
        "javascript:alert(1)",
        "http://assistant.example/cb",
        "https://a.example/#part",
        ""
      ]) {
        const errorAnswer = yield* Effect.promise(() =>
          errorAnswerOf(OAuthClient.register(urls, { redirect_uris: [uri] }))
        )
        assert.include(["invalid_redirect_uri", "invalid_client_metadata"], errorAnswer, uri)
      }
    })
  )

  it.effect("gets tokens for the tools only", () =>
    scenario(async ({ allow, client }) => {
      const elsewhere = { resource: "https://elsewhere.example/mcp" }
      assert.strictEqual(await client.refused(elsewhere), "invalid_target")
      const { answer, verifier } = await client.signIn(allow)
      assert.strictEqual(await errorAnswerOf(client.redeem(answer, verifier, elsewhere)), "invalid_target")
      const { refresh_token } = await client.tokens(allow)
      assert.strictEqual(await errorAnswerOf(client.refresh(refresh_token, elsewhere)), "invalid_target")
    })
  )

  it.effect("cannot omit the challenge, or use the plain method", () =>
    scenario(async ({ client }) => {
      const missing = { code_challenge: undefined, code_challenge_method: undefined }
      for (const changes of [
        missing,
        { code_challenge_method: "plain" },
        { code_challenge_method: undefined }
      ]) {
        assert.strictEqual(await client.refused(changes), "invalid_request", JSON.stringify(changes))
      }
    })
  )

  it.effect("cannot use an unregistered redirect address", () =>
    scenario(async ({ client }) => {
      for (const redirect_uri of [
        "https://foreign.example/callback",
        `${redirectUri}/other`,
        `${redirectUri}?a=b`
      ]) {
        const visit = await client.visit({ redirect_uri })
        assert.strictEqual(visit._tag, "Page", redirect_uri)
        if (visit._tag === "Page") assert.strictEqual(visit.status, 400)
      }
    })
  )

  it.effect("cannot receive tokens in the redirect address", () =>
    scenario(async ({ client }) => {
      const errorAnswer = await client.refused({ response_type: "token" })
      assert.include(["unsupported_response_type", "unauthorized_client"], errorAnswer)
    })
  )

  it.effect("cannot redeem a code with a verifier of another sign-in", () =>
    scenario(async ({ allow, client }) => {
      const { answer } = await client.signIn(allow)
      const { verifier } = await client.ask()
      assert.strictEqual(await errorAnswerOf(client.redeem(answer, verifier)), "invalid_grant")
    })
  )

  it.effect("cannot redeem another client's code", () =>
    scenario(async ({ allow, client, other }) => {
      const { back, state, verifier } = await client.signIn(allow)
      const thief = await other()
      const errorAnswer = await errorAnswerOf(thief.redeem(thief.answer(back, state), verifier))
      assert.strictEqual(errorAnswer, "invalid_grant")
    })
  )

  it.effect("loses its tokens when a code is used twice", () =>
    scenario(async ({ allow, client }) => {
      const { answer, verifier } = await client.signIn(allow)
      const tokens = await client.redeem(answer, verifier)
      assert.strictEqual(await errorAnswerOf(client.redeem(answer, verifier)), "invalid_grant")
      assert.strictEqual(await errorAnswerOf(client.initialize(tokens.access_token)), "invalid_token")
      assert.strictEqual(await errorAnswerOf(client.refresh(tokens.refresh_token)), "invalid_grant")
    })
  )

  it.effect("gets no further scopes at a refresh", () =>
    scenario(async ({ allow, client }) => {
      const { refresh_token } = await client.tokens(allow)
      assert.strictEqual((await client.refresh(refresh_token, { scope: "mcp admin" })).scope, "mcp")
    })
  )

  it.effect("cannot refresh with another client's token", () =>
    scenario(async ({ allow, client, other }) => {
      const { refresh_token } = await client.tokens(allow)
      assert.strictEqual(await errorAnswerOf((await other()).refresh(refresh_token)), "invalid_grant")
    })
  )

  it.effect("cannot use expired codes or tokens", () =>
    Effect.gen(function* () {
      const { allow, client } = yield* scene
      const { answer, verifier } = yield* Effect.promise(() => client.signIn(allow))
      const tokens = yield* Effect.promise(() => client.tokens(allow))
      const sql = yield* OAuthDatabase
      yield* sql`UPDATE oauth_records SET expires_at = 1 WHERE model <> 'Client'`
      const errorAnswers = yield* Effect.promise(() =>
        Promise.all([
          errorAnswerOf(client.redeem(answer, verifier)),
          errorAnswerOf(client.initialize(tokens.access_token)),
          errorAnswerOf(client.refresh(tokens.refresh_token))
        ])
      )
      assert.deepStrictEqual(errorAnswers, ["invalid_grant", "invalid_token", "invalid_grant"])
    })
  )

  it.effect("cannot use a token for another audience", () =>
    Effect.gen(function* () {
      const { allow, client } = yield* scene
      const { access_token } = yield* Effect.promise(() => client.tokens(allow))
      const sql = yield* OAuthDatabase
      yield* sql`
        UPDATE oauth_records SET payload = json_set(payload, '$.aud', 'https://elsewhere.example/mcp')
        WHERE model = 'AccessToken'`
      const errorAnswer = yield* Effect.promise(() => errorAnswerOf(client.initialize(access_token)))
      assert.strictEqual(errorAnswer, "invalid_token")
    })
  )

  it.effect("cannot use another grant", () =>
    scenario(async ({ client }) => {
      for (const type of ["client_credentials", "password", "urn:ietf:params:oauth:grant-type:device_code"]) {
        const errorAnswer = await errorAnswerOf(client.grant(type, { username: "alpha", password: "secret" }))
        assert.include(["unsupported_grant_type", "unauthorized_client"], errorAnswer, type)
      }
    })
  )

  it.effect("receives the metadata address when its token is missing or wrong", () =>
    scenario(async ({ client }) => {
      for (const token of ["nothing-of-ours", "a".repeat(4_000)]) {
        assert.strictEqual(await errorAnswerOf(client.initialize(token)), "invalid_token")
      }
    })
  )
})
