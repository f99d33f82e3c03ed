import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ClientMetadata from "#src/edges/oauth/ClientMetadata.ts"

const redirect_uris = ["http://127.0.0.1/callback"]

const accepted = (metadata: object) => Result.getOrThrow(ClientMetadata.parse({ redirect_uris, ...metadata }))

const refused = (metadata: unknown) => {
  const parsed = ClientMetadata.parse(metadata)
  return Result.isFailure(parsed) ? parsed.failure : assert.fail("It was taken")
}

describe("metadata of clients", () => {
  it("is replaced by supported values, and ignored where unknown", () => {
    const asked = {
      application_type: "web",
      grant_types: ["implicit", "client_credentials"],
      response_types: ["token"],
      scope: "openid profile mcp",
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: "https://acme.dev/jwks",
      id_token_signed_response_alg: "none",
      software_id: "4NRB1-0XZABZI9E6-5SM3R",
      __proto__: { client_name: "inherited" },
      client_id: "mine",
      client_secret: "mine"
    }
    const taken: ClientMetadata.ClientMetadata = {
      application_type: "native",
      redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "mcp",
      token_endpoint_auth_method: "none"
    }
    assert.deepStrictEqual({ ...accepted(asked) }, taken)
    assert.deepStrictEqual({ ...accepted({}) }, taken)
  })

  it.each(["none", "client_secret_basic", "client_secret_post"])("may request %s", (method) => {
    const { token_endpoint_auth_method } = accepted({ token_endpoint_auth_method: method })
    assert.strictEqual(token_endpoint_auth_method, method)
  })

  it.each([
    "https://app.acme.dev/cb",
    "https://app.acme.dev:8443/cb?tenant=1",
    "http://localhost/cb",
    "http://localhost:1455/cb",
    "http://127.0.0.1:8080/cb",
    "http://[::1]:8080/cb",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "com.acme.app:/oauth",
    "com.example.app:/oauth2redirect/a@b?tenant=a@b",
    "cursor://anysphere.cursor-retrieval/oauth/user-mcp/callback",
    "vscode://ms-vscode.mcp/callback",
    "vscode-insiders://acme.assistant/callback",
    "windsurf://callback",
    "claude://claude.ai/mcp/auth_callback",
    "raycast://oauth?package_name=Extension",
    "zed://callback",
    "warp://mcp/oauth2callback",
    "goose://callback",
    "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh/cb"
  ])("may register %s for codes", (uri) => {
    assert.deepStrictEqual(accepted({ redirect_uris: [uri, uri] }).redirect_uris, [uri])
  })

  it.each([
    "http://app.acme.dev/cb",
    "http://127.0.0.1.acme.dev/cb",
    "http://localhost.acme.dev/cb",
    "https://localhost/cb",
    "https://app.acme.dev/cb#part",
    "https://app.acme.dev/cb#",
    "https://user@app.acme.dev/cb",
    "http://127.0.0.1@acme.dev/cb",
    "/cb",
    "",
    "app.acme.dev",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "java\nscript:alert(1)",
    " javascript:alert(1)",
    "data:text/html,hello",
    "file:///etc/passwd",
    "blob:https://acme.dev/1",
    "view-source:https://acme.dev",
    "https://①②⑦.0.0.1/cb",
    "https:app.acme.dev/cb",
    "https:/app.acme.dev/cb",
    "https:///app.acme.dev/cb",
    "http:127.0.0.1/cb",
    "https://@app.acme.dev/cb",
    "https://:@app.acme.dev/cb",
    "acme-app://@phish.example/cb",
    "https://app.acme.dev\\@phish.example/cb",
    "https:\\\\app.acme.dev/cb",
    "https://app.acme.dev/a\\b",
    "https://app.acme.dev/cb?code=mine",
    "https://app.acme.dev/cb?a=b&state=",
    "https://app.acme.dev/cb?iss=https://idp.example",
    "https://app.acme.dev/cb?%65rror=access_denied",
    "acme-app:/cb?error_description=text",
    "https.://app.acme.dev/cb",
    "http+unix://app.acme.dev/cb",
    "ms-msdt:/id",
    "ms-settings:display",
    "MS-Word:ofe|u|https://phish.example",
    "search-ms:query=x",
    "microsoft-edge:https://phish.example",
    "x-apple.systempreferences:com.apple.preference",
    "itms-services://?action=download-manifest",
    "facetime-audio:1234",
    "chrome://settings",
    "edge://settings",
    "res://shell32.dll",
    "mhtml:file:///etc/passwd",
    "feed:javascript:alert(1)",
    "livescript:alert(1)",
    "ssh://phish.example",
    "sftp://phish.example",
    "telnet://phish.example",
    "ldap://phish.example",
    "smb://phish.example/share",
    "nfs://phish.example/share",
    "skype:echo123?call",
    "steam://run/1",
    "urn:ietf:wg:oauth:2.0:oob",
    "magnet:?xt=urn:btih:1",
    "market://details?id=acme",
    "intent://cb#Intent;end",
    "intent:cb",
    "android-app://dev.acme",
    "tel:1234",
    "sms:1234",
    "mailto:a@acme.dev",
    `https://app.acme.dev/${"a".repeat(2_048)}`
  ])("may not register %j for codes", (uri) => {
    assert.strictEqual(refused({ redirect_uris: [redirect_uris[0], uri] }).error, "invalid_redirect_uri")
  })

  it.each([undefined, null, [], {}, "http://127.0.0.1/cb", [1], [null], [["http://127.0.0.1/cb"]]])(
    "requires a list of addresses instead of %j",
    (redirect_uris) => {
      assert.strictEqual(refused({ redirect_uris }).error, "invalid_redirect_uri")
    }
  )

  it("may contain twenty addresses", () => {
    const uris = Array.from({ length: 21 }, (_, index) => `http://127.0.0.1/${index}`)
    assert.lengthOf(accepted({ redirect_uris: uris.slice(1) }).redirect_uris, 20)
    assert.strictEqual(refused({ redirect_uris: uris }).error, "invalid_redirect_uri")
  })

  it.each([null, [], "text", 1, true])("requires an object instead of %j", (metadata) => {
    assert.strictEqual(refused(metadata).error, "invalid_client_metadata")
  })

  it.each([
    ["Acme", "Acme"],
    ["  Acme\u0000\n\u202eApp ", "Acme App"],
    ["a".repeat(500), "a".repeat(200)],
    ["😀".repeat(201), "😀".repeat(200)],
    ["\ud800", "\ufffd"],
    ["\u200b", undefined],
    ["\u3164\u2800\uffa0 \u115f\u1160", undefined],
    ["\u0301\u0302", undefined],
    ["Cafe\u0301", "Café"],
    [" ", undefined],
    [12, undefined]
  ])("with the client name %j has the name %j", (name, shown) => {
    assert.strictEqual(accepted({ client_name: name }).client_name, shown)
  })

  it("includes the addresses of pages, and drops invalid ones", () => {
    const pages = { client_uri: "https://acme.dev/", logo_uri: "http://acme.dev/logo.png" }
    assert.deepInclude(accepted({ ...pages, tos_uri: "javascript:alert(1)", policy_uri: 1 }), pages)
    assert.doesNotHaveAnyKeys(accepted({ tos_uri: "javascript:alert(1)", policy_uri: 1 }), [
      "tos_uri",
      "policy_uri"
    ])
  })
})
