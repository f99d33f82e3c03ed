/**
 * A strict third-party client completes the whole flow (RFC 6749, 7009, 7591, 8414, 9207, 9728) with all its checks.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import { OAuthClient, redirectUri, errorAnswerOf } from "#test/support/src/edges/oauth/OAuthClient.ts"
import { scenario, scene } from "#test/support/src/edges/oauth/OAuthScene.ts"

layer(TestServer.layer(), { excludeTestServices: true })("an OAuth client with full validation", (it) => {
  it.effect("discovers the authorization server from the address of the tools", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { resource, server } = yield* Effect.promise(() => OAuthClient.discover(urls))
      assert.strictEqual(resource.resource, `${urls.mcpUrl}/mcp`)
      assert.deepStrictEqual(resource.scopes_supported, ["mcp"])
      assert.deepStrictEqual(resource.bearer_methods_supported, ["header"])
      assert.deepStrictEqual(resource.authorization_servers, [server.issuer])
      assert.deepStrictEqual(server.code_challenge_methods_supported, ["S256"])
      assert.deepStrictEqual(server.response_types_supported, ["code"])
      assert.sameMembers(server.grant_types_supported ?? [], ["authorization_code", "refresh_token"])
      assert.include(server.token_endpoint_auth_methods_supported ?? [], "none")
      assert.isTrue(server.authorization_response_iss_parameter_supported)
      assert.strictEqual(server.registration_endpoint, `${urls.mcpUrl}/oauth/register`)
      assert.strictEqual(server.revocation_endpoint, `${urls.mcpUrl}/oauth/revoke`)
    })
  )

  it.effect("registers, with unsupported metadata replaced", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { client } = yield* Effect.promise(() =>
        OAuthClient.register(urls, {
          scope: "openid profile admin",
          grant_types: ["authorization_code", "refresh_token", "client_credentials"]
        })
      )
      assert.deepStrictEqual(client["redirect_uris"], [redirectUri])
      assert.deepStrictEqual(client["grant_types"], ["authorization_code", "refresh_token"])
      assert.strictEqual(client["scope"], "mcp")
      assert.strictEqual(client["token_endpoint_auth_method"], "none")
      assert.isUndefined(client["client_secret"])
    })
  )

  it.effect("signs in and gets tokens that open the tools", () =>
    scenario(async ({ allow, client }) => {
      const { answer, verifier } = await client.signIn(allow)
      const tokens = await client.redeem(answer, verifier)
      assert.strictEqual(tokens.token_type, "bearer")
      assert.strictEqual(tokens.scope, "mcp")
      assert.isAbove(tokens.expires_in ?? 0, 0)
      assert.isString(tokens.refresh_token)
      assert.isUndefined(tokens.id_token)
      const response = await client.initialize(tokens.access_token)
      assert.strictEqual(response.status, 200)
    })
  )

  it.effect("may have a secret, and is rejected without it", () =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { allow } = yield* scene
      for (const token_endpoint_auth_method of ["client_secret_basic", "client_secret_post"]) {
        yield* Effect.promise(async () => {
          const client = await OAuthClient.register(urls, { token_endpoint_auth_method })
          const { refresh_token } = await client.tokens(allow)
          const { client_secret: _secret, ...unarmed } = client.client
          for (const changed of [unarmed, { ...client.client, client_secret: "guessed" }]) {
            const other = new OAuthClient(client.server, changed, client.resource)
            assert.strictEqual(await errorAnswerOf(other.refresh(refresh_token)), "invalid_client")
          }
          await client.refresh(refresh_token)
        })
      }
    })
  )

  it.effect("receives access_denied when the user denies", () =>
    scenario(async ({ allow, client }) => {
      assert.strictEqual(await errorAnswerOf(client.signIn({ ...allow, decision: "deny" })), "access_denied")
    })
  )

  it.effect("gets a new refresh token each time, and the login continues", () =>
    scenario(async ({ allow, client }) => {
      const first = await client.tokens(allow)
      const second = await client.refresh(first.refresh_token)
      assert.notStrictEqual(second.access_token, first.access_token)
      assert.notStrictEqual(second.refresh_token, first.refresh_token)
      assert.strictEqual(second.scope, "mcp")
      assert.strictEqual((await client.initialize(second.access_token)).status, 200)
      const third = await client.refresh(second.refresh_token)
      assert.strictEqual((await client.initialize(third.access_token)).status, 200)
    })
  )

  it.effect("may refresh with the same token twice at once", () =>
    scenario(async ({ allow, client }) => {
      const { refresh_token } = await client.tokens(allow)
      const twins = await Promise.all([client.refresh(refresh_token), client.refresh(refresh_token)])
      for (const { access_token } of twins) {
        assert.strictEqual((await client.initialize(access_token)).status, 200)
      }
    })
  )

  it.effect("signs out by revoking either token, repeatedly too", () =>
    scenario(async ({ allow, client }) => {
      for (const which of ["access_token", "refresh_token"] as const) {
        const tokens = await client.tokens(allow)
        await client.revoke(tokens[which])
        await client.revoke(tokens[which])
        assert.strictEqual(
          await errorAnswerOf(client.initialize(tokens.access_token)),
          "invalid_token",
          which
        )
        if (which === "refresh_token") {
          assert.strictEqual(await errorAnswerOf(client.refresh(tokens.refresh_token)), "invalid_grant")
        }
      }
    })
  )

  it.effect("revokes nothing with an invalid token", () =>
    scenario(async ({ client }) => {
      await client.revoke("nothing-of-ours")
    })
  )
})
