import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import * as AttemptLimit from "#src/edges/oauth/AttemptLimit.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as PasswordNode from "#test/support/src/features/accounts/PasswordNode.ts"
import * as Keys from "#test/support/src/edges/http/KeyCalls.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"

type Fields = Readonly<Record<string, string>>

const urlEncoded = { "content-type": "application/x-www-form-urlencoded" }

/** A browser at the page, for a new client. */
const visited = Effect.gen(function* () {
  const { client_id: clientId } = yield* OAuth.registered()
  return { ...(yield* OAuth.begun(clientId)), clientId }
})

const pathOf = ({ uid }: OAuth.Visit): string => `/oauth/interaction/${uid}`

const show = (visit: OAuth.Visit) => OAuth.call({ path: pathOf(visit), headers: { cookie: visit.cookies } })

const tokenOf = ({ text }: Reply): string => /name="csrf" value="([\w-]+)"/.exec(text)?.[1] ?? ""

const post = (visit: OAuth.Visit, body: string, headers: Fields = {}) =>
  OAuth.call({
    method: "POST",
    path: pathOf(visit),
    headers: { ...urlEncoded, cookie: visit.cookies, ...headers },
    body
  })

/** Fills in and submits the page. */
const submit = Effect.fnUntraced(function* (visit: OAuth.Visit, fields: Fields, headers: Fields = {}) {
  const csrf = tokenOf(yield* show(visit))
  return yield* post(visit, new URLSearchParams({ csrf, ...fields }).toString(), headers)
})

/** The redirect to the client. */
const followed = Effect.fnUntraced(function* ({ cookies }: OAuth.Visit, reply: Reply) {
  assert.strictEqual(reply.status, 303, reply.text)
  const { pathname } = new URL(reply.headers.location ?? "")
  const { headers } = yield* OAuth.call({ path: pathname, headers: { cookie: cookies } })
  return new URL(headers.location ?? "")
})

/** As pasted text. */
const keyText = (header: string): string => header.replace(/^Key /, "")

const ownKey = Effect.map(TestServer.TestServer, ({ key }) => keyText(key))

const isPage = ({ headers, text }: Reply): void => {
  assert.strictEqual(headers["content-type"], "text/html; charset=utf-8")
  assert.strictEqual(headers["cache-control"], "no-store")
  assert.strictEqual(headers["x-frame-options"], "DENY")
  assert.match(String(headers["content-security-policy"]), /^default-src 'none'; .*frame-ancestors 'none'/)
  assert.match(text, /<h1>/)
}

const titleOf = ({ text }: Reply): string => /<h1>([\s\S]*?)<\/h1>/.exec(text)?.[1] ?? ""
const alertOf = ({ text }: Reply): string =>
  /role="alert"[\s\S]*?<strong>([\s\S]*?)<\/strong>/.exec(text)?.[1] ?? ""

const services = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, PasswordNode.cheap)))

layer(services, { excludeTestServices: true })("the sign-in page", (it) => {
  it.effect("is served only to the browser that was redirected to it", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const other = yield* visited
      const page = yield* show(visit)
      assert.strictEqual(page.status, 200)
      isPage(page)
      assert.include(titleOf(page), "<bdi>Acme</bdi>")
      for (const cookies of ["", "_interaction=x", other.cookies]) {
        for (const reply of [yield* show({ ...visit, cookies }), yield* post({ ...visit, cookies }, "")]) {
          assert.strictEqual(reply.status, 410)
          isPage(reply)
        }
      }
    })
  )

  it.effect("redirects with a code, once, after consent with a key", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const api_key = ` Key ${yield* ownKey} `
      const reply = yield* submit(visit, { api_key, decision: "allow" })
      assert.strictEqual(reply.headers["cache-control"], "no-store")
      const url = yield* followed(visit, reply)
      assert.strictEqual(url.origin + url.pathname, OAuth.redirectUri)
      OAuth.tokensOf(yield* OAuth.exchange(visit.clientId, OAuth.codeOf(url)))
      assert.strictEqual((yield* show(visit)).status, 410)
    })
  )

  it.effect("accepts the account's password, and creates one key, however often it is sent", () =>
    Effect.gen(function* () {
      const account = yield* Keys.account("delta")
      const { caller } = yield* OAuth.byKey(account["authorization"] ?? "")
      const password = "correct horse battery"
      yield* (yield* Passwords).set({ accountId: caller.accountId, password: Redacted.make(password) })
      const visit = yield* visited
      const fields = { account: caller.accountId, password, decision: "allow" }
      const replies = yield* Effect.all([submit(visit, fields), submit(visit, fields)], { concurrency: 2 })
      assert.strictEqual(replies[0].headers.location, replies[1].headers.location)
      OAuth.codeOf(yield* followed(visit, replies[0]))
      const { json } = yield* Keys.list(account)
      assert.strictEqual(Reflect.get(Object(json), "total"), 2)
    })
  )

  it.effect("reports a denial to the client, without a sign-in", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const url = yield* followed(visit, yield* submit(visit, { api_key: "wrong", decision: "deny" }))
      assert.strictEqual(url.searchParams.get("error"), "access_denied")
      assert.strictEqual(url.searchParams.get("state"), "st")
    })
  )

  it.effect("redirects a browser through a page, to any address", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const api_key = yield* ownKey
      const browser = { "sec-fetch-mode": "navigate", "sec-fetch-site": "same-origin" }
      const reply = yield* submit(visit, { api_key, decision: "allow" }, browser)
      assert.strictEqual(reply.status, 200)
      isPage(reply)
      const { urls } = yield* TestServer.TestServer
      assert.strictEqual(reply.headers["refresh"], `0; url=${urls.mcpUrl}/oauth/authorize/${visit.uid}`)
    })
  )

  it.effect("shows the form again for invalid input, without repeating a secret", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const weak = yield* Keys.created({}, { scopes: ["billing:read"] })
      const cases = [
        [400, {}, "Nothing to sign in with was entered."],
        [400, { account: "acme" }, "The account or its password is missing."],
        [400, { password: "s3cret" }, "The account or its password is missing."],
        [403, { api_key: "s3cret" }, "This API key is not valid."],
        [403, { api_key: "alpha:s3cret", account: "acme" }, "This API key is not valid."],
        [403, { account: "acme", password: "s3cret" }, "The account and the password do not match."],
        [403, { api_key: weak.key }, "This API key may do nothing that an assistant does."]
      ] as const
      for (const [status, fields, what] of cases) {
        const reply = yield* submit(visit, { ...fields, decision: "allow" })
        isPage(reply)
        assert.strictEqual(alertOf(reply), what)
        assert.strictEqual(reply.status, status, what)
        assert.notInclude(reply.text, "s3cret")
        assert.notInclude(reply.text, keyText(weak.key))
        assert.strictEqual(reply.text.includes('value="acme"'), "account" in fields)
      }
      OAuth.codeOf(
        yield* followed(visit, yield* submit(visit, { api_key: yield* ownKey, decision: "allow" }))
      )
    })
  )

  it.effect("rejects a form from another site", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const fields = { api_key: yield* ownKey, decision: "allow" }
      const { urls } = yield* TestServer.TestServer
      for (const headers of [
        { origin: "https://evil.dev" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site", origin: urls.mcpUrl }
      ]) {
        const reply = yield* submit(visit, fields, headers)
        assert.strictEqual(reply.status, 403)
        isPage(reply)
      }
      for (const csrf of ["", "x", tokenOf(yield* show(yield* visited))]) {
        const reply = yield* submit(visit, { ...fields, csrf })
        assert.strictEqual(reply.status, 403)
        assert.strictEqual(alertOf(reply), "The form was not the one of this page.")
      }
      const own = { origin: urls.mcpUrl, "sec-fetch-site": "same-origin" }
      OAuth.codeOf(yield* followed(visit, yield* submit(visit, fields, own)))
    })
  )

  it.effect("rejects a form of another sign-in of the same client", () =>
    Effect.gen(function* () {
      const { client_id: clientId } = yield* OAuth.registered()
      const [visit, other] = [yield* OAuth.begun(clientId), yield* OAuth.begun(clientId)]
      const deny = (csrf: string) => post(visit, new URLSearchParams({ csrf, decision: "deny" }).toString())
      assert.strictEqual((yield* deny(tokenOf(yield* show(other)))).status, 403)
      assert.strictEqual((yield* deny(tokenOf(yield* show(visit)))).status, 303)
    })
  )

  it.effect("rejects a malformed form", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const csrf = tokenOf(yield* show(visit))
      const good = `csrf=${csrf}&decision=allow`
      const cases: ReadonlyArray<readonly [number, string, Fields?]> = [
        [400, `${good}&decision=deny`],
        [400, `${good}&api_key=a&api_key=a`],
        [400, `csrf=${csrf}`],
        [400, `csrf=${csrf}&decision=maybe`],
        [413, `${good}&x=${"x".repeat(16 * 1024)}`],
        [415, good, { "content-type": "text/plain" }],
        [415, "{}", { "content-type": "application/json" }],
        [415, good, { "content-encoding": "gzip" }]
      ]
      for (const [status, body, headers] of cases) {
        const reply = yield* post(visit, body, headers)
        assert.strictEqual(reply.status, status, body.slice(0, 80))
        isPage(reply)
        assert.include(reply.text, String(reply.headers["x-request-id"]))
      }
    })
  )

  it.effect("ends a sign-in after too many wrong keys", () =>
    Effect.gen(function* () {
      const visit = yield* visited
      const body = (api_key: string, csrf: string) =>
        new URLSearchParams({ csrf, api_key, decision: "allow" }).toString()
      const csrf = tokenOf(yield* show(visit))
      const guesses = Effect.replicateEffect(post(visit, body("alpha:wrong", csrf)), AttemptLimit.most + 5, {
        concurrency: 3
      })
      const statuses = (yield* guesses).map(({ status }) => status)
      assert.strictEqual(statuses.filter((status) => status === 403).length, AttemptLimit.most)
      const reply = yield* post(visit, body(yield* ownKey, csrf))
      assert.strictEqual(reply.status, 429)
      assert.strictEqual(titleOf(reply), "Too many wrong tries")
      assert.strictEqual((yield* submit(visit, { decision: "deny" })).status, 303)
    })
  )
})
