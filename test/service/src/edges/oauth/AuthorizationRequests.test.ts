import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as TestServer from "#test/support/TestServer.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

/** The parameters of an answer that redirects to the client. */
const toldBy = ({
  headers,
  status,
  text
}: Effect.Success<ReturnType<typeof OAuth.authorize>>): Readonly<Record<string, string>> => {
  assert.strictEqual(status, 303, text)
  const { hash, origin, pathname, searchParams } = new URL(headers.location ?? "")
  return { address: origin + pathname + hash, ...Object.fromEntries(searchParams) }
}

const elsewhere = { resource: "https://elsewhere.dev/mcp" }
const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

interface Case {
  readonly what: string
  readonly fields: OAuth.Fields
}

layer(TestServer.layer(), { excludeTestServices: true })("requests for an authorization", (it) => {
  it.effect.each<Case & { readonly error: string }>([
    { what: "with plain PKCE", fields: { code_challenge_method: "plain" }, error: "invalid_request" },
    { what: "without a method", fields: { code_challenge_method: undefined }, error: "invalid_request" },
    { what: "without PKCE", fields: withoutPkce, error: "invalid_request" },
    { what: "for another resource", fields: elsewhere, error: "invalid_target" },
    { what: "for a token", fields: { response_type: "token" }, error: "unsupported_response_type" },
    {
      what: "for two answers",
      fields: { response_type: "code id_token" },
      error: "unsupported_response_type"
    },
    { what: "for no answer", fields: { response_type: undefined }, error: "invalid_request" },
    { what: "for a form", fields: { response_mode: "form_post" }, error: "unsupported_response_mode" },
    { what: "with prompt=none", fields: { prompt: "none" }, error: "login_required" }
  ])("rejects a request $what, and reports it to the client", ({ error, fields }) =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const { client_id: clientId } = yield* OAuth.registered()
      const told = toldBy(yield* OAuth.authorize(clientId, fields))
      assert.deepInclude(told, { address: OAuth.redirectUri, error, state: "st", iss: urls.mcpUrl })
      assert.notProperty(told, "code")
    })
  )

  it.effect.each<Case>([
    { what: "a foreign address", fields: { redirect_uri: "https://elsewhere.dev/callback" } },
    { what: "another path", fields: { redirect_uri: "http://127.0.0.1/other" } },
    { what: "no address", fields: { redirect_uri: undefined } },
    { what: "an unregistered client", fields: { client_id: "nobody" } }
  ])("shows an error page without a redirect for $what", ({ fields }) =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      const reply = yield* OAuth.authorize(clientId, fields)
      assert.isTrue(reply.status === 400 || reply.status === 401, reply.text)
      assert.isUndefined(reply.headers.location)
      assert.match(reply.headers["content-type"] ?? "", /^text\/html/)
      assert.match(String(reply.headers["content-security-policy"]), /default-src 'none'/)
      assert.match(reply.text, /cannot begin/)
    })
  )

  it.effect.each([
    { what: "with prompt=none", fields: { prompt: "none" }, error: "login_required" },
    { what: "for nothing", fields: { response_type: "x" }, error: "unsupported_response_type" },
    { what: "without PKCE", fields: withoutPkce, error: "invalid_request" },
    { what: "for another resource", fields: elsewhere, error: "invalid_target" }
  ])("never redirects to a site or an app with a request $what", ({ error, fields }) =>
    Effect.gen(function* () {
      const uris = ["https://phish.example/cb?a=b", "acme-app://phish.example/cb", "acme-app://localhost/cb"]
      const { client_id: clientId } = yield* OAuth.registered({ redirect_uris: uris })
      for (const uri of uris) {
        const reply = yield* OAuth.authorize(clientId, { redirect_uri: uri, ...fields })
        assert.strictEqual(reply.status, 400, reply.text)
        assert.isUndefined(reply.headers.location)
        assert.isUndefined(reply.headers["refresh"])
        assert.include(reply.text, error)
        assert.include(reply.text, uri.startsWith("https") ? "phish.example" : uri)
        assert.notMatch(reply.text, /<a |<form|<meta http-equiv|<script/)
      }
    })
  )

  it.effect("rejects a parameter of more than two KiB", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      yield* OAuth.begun(clientId, { state: "é".repeat(1_024) })
      const long = {
        state: "é".repeat(1_024) + "a",
        resource: "r".repeat(2_049),
        client_id: "c".repeat(2_049)
      }
      for (const [name, value] of Object.entries(long)) {
        const reply = yield* OAuth.authorize(clientId, { [name]: value })
        assert.strictEqual(reply.status, 400, name)
        assert.include(reply.text, `${name} must not be longer than 2048 bytes`)
      }
      const { path } = OAuth.authorization(clientId, { resource: "r".repeat(1_025) })
      const twice = yield* OAuth.call({ path: `${path}&resource=${"s".repeat(1_024)}` })
      assert.include(twice.text, "resource must not be longer")
      yield* OAuth.begun(clientId, { ignored: "a".repeat(4_000) })
    })
  )

  it.effect("does not answer HEAD, which would lose a code", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      const reply = yield* OAuth.call({ method: "HEAD", path: `/oauth/authorize?client_id=${clientId}` })
      assert.strictEqual(reply.status, 405)
    })
  )
})
