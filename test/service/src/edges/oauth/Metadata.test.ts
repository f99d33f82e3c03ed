import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

const resource = [
  "/.well-known/oauth-protected-resource",
  "/.well-known/oauth-protected-resource/mcp"
] as const
const server = [
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-authorization-server/mcp"
] as const
const calls = ["/oauth/register", "/oauth/token", "/oauth/revoke"] as const

const page = { origin: "https://app.acme.dev" }

layer(TestServer.layer(), { excludeTestServices: true })("the metadata of the authorization server", (it) => {
  it.effect.each(resource)("%s describes the protected resource", (path) =>
    Effect.gen(function* () {
      const { baseUrl, mcpUrl } = (yield* TestServer.TestServer).urls
      const reply = yield* OAuth.call({ path })
      assert.strictEqual(reply.headers["content-type"], "application/json")
      assert.deepStrictEqual(reply.json, {
        resource: `${mcpUrl}/mcp`,
        authorization_servers: [mcpUrl],
        scopes_supported: ["mcp"],
        bearer_methods_supported: ["header"],
        resource_name: "inferlog",
        resource_documentation: `${baseUrl}/docs`
      })
    })
  )

  it.effect.each(server)("%s describes where to get tokens", (path) =>
    Effect.gen(function* () {
      const { baseUrl, mcpUrl } = (yield* TestServer.TestServer).urls
      const reply = yield* OAuth.call({ path })
      const methods = ["none", "client_secret_basic", "client_secret_post"]
      assert.deepStrictEqual(reply.json, {
        issuer: mcpUrl,
        authorization_endpoint: `${mcpUrl}/oauth/authorize`,
        token_endpoint: `${mcpUrl}/oauth/token`,
        registration_endpoint: `${mcpUrl}/oauth/register`,
        revocation_endpoint: `${mcpUrl}/oauth/revoke`,
        scopes_supported: ["mcp"],
        response_types_supported: ["code"],
        response_modes_supported: ["query"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: methods,
        revocation_endpoint_auth_methods_supported: methods,
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        service_documentation: `${baseUrl}/docs`
      })
    })
  )

  it.effect.each([...resource, ...server])("%s is readable by pages of any origin", (path) =>
    Effect.gen(function* () {
      const { headers } = yield* OAuth.call({ path, headers: page })
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      assert.notProperty(headers, "access-control-allow-credentials")
    })
  )

  it.effect.each([...resource, ...server, ...calls])("a browser may send a preflight for %s", (path) =>
    Effect.gen(function* () {
      const { headers, status } = yield* OAuth.call({ method: "OPTIONS", path, headers: page })
      assert.strictEqual(status, 204)
      assert.strictEqual(headers["access-control-allow-origin"], "*")
      const allowed = headers["access-control-allow-headers"]?.split(", ")
      assert.includeMembers(allowed ?? [], ["content-type", "authorization", "mcp-protocol-version"])
    })
  )

  it.effect.each(calls)("pages of any origin read the answers of %s, errors too", (path) =>
    Effect.gen(function* () {
      const reply = yield* OAuth.call({ method: "POST", path, headers: page, body: "" })
      assert.strictEqual(reply.status, 400)
      assert.isString(OAuth.errorOf(reply))
      assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      assert.match(reply.headers["x-request-id"]?.toString() ?? "", /^call_[\w-]{21}$/)
    })
  )

  it.effect("pages of any origin get tokens", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const code = yield* OAuth.code(clientId, key)
      const fields = { client_id: clientId, code_verifier: OAuth.verifier, redirect_uri: OAuth.redirectUri }
      const reply = yield* OAuth.token({ grant_type: "authorization_code", code, ...fields }, page)
      OAuth.tokensOf(reply)
      assert.strictEqual(reply.headers["access-control-allow-origin"], "*")
    })
  )

  it.effect.each(["/oauth/authorize", "/oauth/interaction/any"])("%s is closed to pages", (path) =>
    Effect.gen(function* () {
      const preflight = yield* OAuth.call({ method: "OPTIONS", path, headers: page })
      assert.strictEqual(preflight.status, 405)
      const { headers } = yield* OAuth.call({ path, headers: page })
      assert.notProperty(headers, "access-control-allow-origin")
    })
  )

  it.effect.each([
    "/.well-known/openid-configuration",
    "/jwks",
    "/me",
    "/oauth/introspect",
    "/token",
    "/reg",
    "/request"
  ])("%s does not exist", (path) =>
    Effect.gen(function* () {
      for (const method of ["GET", "POST"]) {
        assert.strictEqual((yield* OAuth.call({ method, path })).status, 404)
      }
    })
  )
})

describe("behind a proxy", () => {
  const urls = { mcpUrl: "https://mcp.acme.dev" }

  layer(TestServer.layer({ urls }), { excludeTestServices: true })((it) => {
    it.effect("all addresses are the public ones, whatever the request contains", () =>
      Effect.gen(function* () {
        const forged = {
          host: "mcp.acme.dev",
          "x-forwarded-proto": "http",
          "x-forwarded-host": "elsewhere.dev",
          forwarded: "host=elsewhere.dev;proto=http"
        }
        const registered = yield* OAuth.call({
          ...OAuth.registration(),
          headers: { host: "mcp.acme.dev", "content-type": "application/json" }
        })
        const clientId = String(Reflect.get(Object(registered.json), "client_id"))
        const { path } = OAuth.authorization(clientId)
        const { headers } = yield* OAuth.call({ path, headers: forged })
        assert.match(headers.location ?? "", /^https:\/\/mcp\.acme\.dev\/oauth\/interaction\/[\w-]+$/)
        const cookies = headers["set-cookie"] ?? []
        assert.strictEqual(cookies.length, 4)
        for (const cookie of cookies) {
          assert.match(cookie, /; HttpOnly/)
          assert.match(cookie, /; Secure/)
          assert.match(cookie, /; SameSite=Lax/)
          assert.match(cookie, /; Path=\/oauth\/(interaction|authorize)\/[\w-]+/)
        }
      })
    )

    it.effect.each([resource[0], server[0]])("%s names the reference at the platform's address", (path) =>
      Effect.gen(function* () {
        const { baseUrl } = (yield* TestServer.TestServer).urls
        const { json } = yield* OAuth.call({ path, headers: { host: "mcp.acme.dev" } })
        const told = Object.entries(Object(json)).filter(([name]) => name.endsWith("_documentation"))
        assert.deepStrictEqual(
          told.map(([, url]) => url),
          [`${baseUrl}/docs`]
        )
      })
    )

    it.effect("other hosts do not have these routes", () =>
      Effect.gen(function* () {
        for (const path of [...resource, ...server, "/oauth/authorize"]) {
          assert.strictEqual((yield* OAuth.call({ path })).status, 404)
        }
      })
    )
  })
})
