/** Single sign-on with a real issuer: the whole flow over HTTP, and what it refuses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { OperatorIdentityId } from "#domain/operator-identity/OperatorIdentity.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import { type Place, place, server } from "#test/support/src/edges/sso/SignOnServer.ts"
import * as TestBrowser from "#test/support/src/edges/sso/TestBrowser.ts"

const isCallback = (url: string): boolean => url.includes("/sign-in/callback?")

const signIn = (browser: TestBrowser.TestBrowser, { url }: Place) =>
  Effect.promise(() => browser.follow(`${url}/admin/v1/sign-in`))

/** Stops before the server sees the issuer's answer. */
const untilCallback = (browser: TestBrowser.TestBrowser, { url }: Place) =>
  Effect.map(
    Effect.promise(() => browser.follow(`${url}/admin/v1/sign-in`, isCallback)),
    ({ location }) => location ?? ""
  )

const visit = (browser: TestBrowser.TestBrowser, url: string, sent?: TestBrowser.Sent) =>
  Effect.promise(() => browser.visit(url, sent))

/** A sign-in of an own browser that the test spoils. */
const refused = Effect.fnUntraced(function* (place: Place, spoil: (url: URL) => void) {
  const browser = TestBrowser.make()
  const first = yield* visit(browser, `${place.url}/admin/v1/sign-in`)
  const authorization = new URL(first.location ?? "")
  spoil(authorization)
  return yield* Effect.promise(() => browser.follow(authorization.href))
})

describe("Single sign-on of operators", () => {
  it.live("signs in, acts with the role under the person's name, and signs out", () =>
    Effect.gen(function* () {
      const here = yield* place
      const { issuer, url } = here
      issuer.person = { sub: "ada", name: "Ada <b>", groups: ["admins"] }
      yield* Effect.promise(() => issuer.start())
      yield* Effect.gen(function* () {
        const browser = TestBrowser.make()
        const callback = yield* untilCallback(browser, here)
        const back = yield* visit(browser, callback)
        assert.deepStrictEqual([back.status, back.location], [303, `${url}/admin/v1/sign-in/done`])
        for (const line of back.setCookies) assert.match(line, /; HttpOnly/)
        for (const line of back.setCookies) assert.match(line, /; SameSite=Lax/)
        const done = yield* visit(browser, back.location ?? "")
        assert.include(done.text, "Ada &lt;b&gt;, with the role owner")

        const self = yield* visit(browser, `${url}/admin/v1/self`)
        assert.deepInclude(JSON.parse(self.text), { name: "Ada <b>", role: "owner" })
        const body = JSON.stringify({ name: "ci", role: "viewer", expiresAt: null })
        const create = (headers: Readonly<Record<string, string>>) =>
          visit(browser, `${url}/admin/v1/operators`, {
            method: "POST",
            body,
            headers: { "content-type": "application/json", ...headers }
          })
        assert.strictEqual((yield* create({})).status, 403)
        assert.strictEqual((yield* create({ origin: "https://evil.test" })).status, 403)
        assert.strictEqual((yield* create({ origin: url, "sec-fetch-site": "cross-site" })).status, 403)
        assert.strictEqual((yield* create({ origin: url })).status, 200)

        // Replayed: neither the used-up browser nor another one opens a session with it.
        assert.strictEqual((yield* visit(browser, callback)).status, 410)
        assert.strictEqual((yield* visit(TestBrowser.make(), callback)).status, 410)

        const cookies = new Map(browser.jarOf(url))
        const signOut = `${url}/admin/v1/sign-out`
        const foreign = yield* visit(browser, signOut, {
          method: "POST",
          headers: { origin: "https://evil.test", "sec-fetch-site": "cross-site" }
        })
        assert.strictEqual(foreign.status, 403)
        const out = yield* visit(browser, signOut, { method: "POST", headers: { origin: url } })
        assert.strictEqual(new URL(out.location ?? "").origin, issuer.url)
        // A copy of the cookie is worthless too.
        for (const [name, value] of cookies) browser.jarOf(url).set(name, value)
        assert.strictEqual((yield* visit(browser, `${url}/admin/v1/operators`)).status, 401)

        const { listActions } = yield* Administration
        const { data } = yield* listActions({ after: null })
        assert.deepStrictEqual(
          data.map(({ action, operatorName, role }) => [action, operatorName, role]),
          ["signOut", "createOperator", "signIn"].map((action) => [action, "Ada <b>", "owner"])
        )
        assert.lengthOf(new Set(data.map(({ operatorId }) => operatorId)), 1)
      }).pipe(Effect.provide(server(here)))
    }).pipe(Effect.scoped)
  )

  it.live("refuses answers that are forged, mixed up, or for others", () =>
    Effect.gen(function* () {
      const here = yield* place
      const { issuer, url } = here
      issuer.person = { sub: "eve", groups: ["admins"] }
      yield* Effect.promise(() => issuer.start())
      yield* Effect.gen(function* () {
        const otherState = yield* refused(here, (address) => address.searchParams.set("state", "other"))
        assert.strictEqual(otherState.status, 410)
        const otherNonce = yield* refused(here, (address) => address.searchParams.set("nonce", "other"))
        assert.strictEqual(otherNonce.status, 403)
        assert.include(otherNonce.text, "OAUTH_JWT_CLAIM_COMPARISON_FAILED")
        const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        const otherVerifier = yield* refused(here, (address) =>
          address.searchParams.set("code_challenge", challenge)
        )
        assert.include(otherVerifier.text, "(invalid_grant)")
        // The issuer's own text is not shown.
        const wrongScope = yield* refused(here, (address) => address.searchParams.set("prompt", "none"))
        assert.include(wrongScope.text, "(login_required)")
        assert.notInclude(wrongScope.text, "End-User")

        for (const changed of [
          { aud: "other" },
          { iss: "https://evil.test" },
          { exp: 1 },
          { nonce: undefined },
          { aud: ["inferlog", "other"], azp: "other" }
        ]) {
          issuer.changeClaims = (claims) => ({ ...claims, ...changed })
          assert.strictEqual((yield* signIn(TestBrowser.make(), here)).status, 403, JSON.stringify(changed))
        }
        issuer.changeClaims = null
        issuer.isForged = true
        assert.strictEqual((yield* signIn(TestBrowser.make(), here)).status, 403)
        issuer.isForged = false

        const browser = TestBrowser.make()
        const callback = yield* untilCallback(browser, here)
        for (const added of ["&state=x", "&iss=https%3A%2F%2Fevil.test"]) {
          const mixed = yield* visit(browser, callback.replace(/&iss=[^&]*/, "") + added)
          assert.include([403, 410], mixed.status, added)
        }
        const jar = browser.jarOf(url)
        for (const [name, value] of jar) jar.set(name, `${value.slice(0, -2)}AA`)
        assert.strictEqual((yield* visit(browser, callback)).status, 410)

        const { listActions } = yield* Administration
        assert.lengthOf((yield* listActions({ after: null })).data, 0)
        // The same person gets in when nothing is spoilt.
        assert.strictEqual((yield* signIn(TestBrowser.make(), here)).status, 200)
      }).pipe(Effect.provide(server(here)))
    }).pipe(Effect.scoped)
  )

  it.live("takes roles from the claims of the last sign-in, and ends sessions of those who lose theirs", () =>
    Effect.gen(function* () {
      const here = yield* place
      const { issuer, url } = here
      yield* Effect.promise(() => issuer.start())
      yield* Effect.gen(function* () {
        issuer.person = { sub: "ada", groups: ["ops"] }
        const first = TestBrowser.make()
        assert.include((yield* signIn(first, here)).text, "with the role operator")
        const operators = (browser: TestBrowser.TestBrowser) =>
          Effect.map(visit(browser, `${url}/admin/v1/operators`), ({ status }) => status)
        const roleOf = (browser: TestBrowser.TestBrowser) =>
          Effect.map(
            visit(browser, `${url}/admin/v1/sign-in/done`),
            ({ text }) => /role (\w+)/.exec(text)?.[1]
          )

        issuer.person = { sub: "ada", groups: ["other", "admins"] }
        const second = TestBrowser.make()
        assert.include((yield* signIn(second, here)).text, "with the role owner")
        assert.strictEqual(yield* roleOf(first), "owner")
        assert.strictEqual(yield* operators(first), 200)

        issuer.person = { sub: "ada", groups: ["other"] }
        const third = yield* signIn(TestBrowser.make(), here)
        assert.strictEqual(third.status, 403)
        assert.include(third.text, "You have no role here")
        assert.deepStrictEqual([yield* operators(first), yield* operators(second)], [401, 401])

        issuer.person = { sub: "ada", groups: ["admins"] }
        yield* signIn(first, here)
        assert.strictEqual(yield* operators(first), 200)
        const { endSessions, listActions } = yield* Administration
        const operatorId = (yield* listActions({ after: null })).data[0]?.operatorId ?? ""
        yield* endSessions({ operatorId: OperatorIdentityId.make(operatorId) })
        assert.strictEqual(yield* operators(first), 401)

        issuer.person = { sub: "bob" }
        assert.strictEqual((yield* signIn(TestBrowser.make(), here)).status, 403)
      }).pipe(Effect.provide(server(here)))
    }).pipe(Effect.scoped)
  )

  it.live("starts without the issuer, follows its keys, and keeps sign-ins and sessions over a restart", () =>
    Effect.gen(function* () {
      const here = yield* place
      const { issuer, url } = here
      issuer.person = { sub: "ada", groups: ["admins"] }
      const kept = TestBrowser.make()
      const half = TestBrowser.make()
      const callback = yield* Effect.gen(function* () {
        const away = yield* signIn(kept, here)
        assert.strictEqual(away.status, 503)
        assert.include(away.text, "The issuer cannot be reached")
        yield* Effect.promise(() => issuer.start())
        // The pause of the first failure.
        yield* (yield* SkippedTime).skip("1 second")
        const found = yield* signIn(kept, here)
        assert.strictEqual(found.status, 200)
        yield* Effect.promise(() => issuer.rotate())
        assert.strictEqual((yield* signIn(TestBrowser.make(), here)).status, 200)
        return yield* untilCallback(half, here)
      }).pipe(Effect.provide(server(here)), Effect.provide(SkippedTime.layer))

      yield* Effect.gen(function* () {
        assert.strictEqual((yield* visit(kept, `${url}/admin/v1/operators`)).status, 200)
        assert.strictEqual((yield* visit(half, callback)).status, 303)
        assert.strictEqual((yield* visit(half, `${url}/admin/v1/operators`)).status, 200)

        const sent = {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": "8.8.8.8" },
          body: "{}"
        }
        const guessed = yield* visit(half, `${url}/admin/v1/sign-in/token`, sent).pipe(
          Effect.repeat({ until: ({ status }) => status !== 400, times: 200 })
        )
        assert.strictEqual(guessed.status, 429)
        const { details } = JSON.parse(guessed.text)
        assert.deepInclude(details, { code: "RATE_LIMITED", scope: "address", limit: 60, window: 60 })
      }).pipe(Effect.provide(server(here)))
    }).pipe(Effect.scoped)
  )
})
