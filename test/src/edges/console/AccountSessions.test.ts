/** Sessions of accounts in the console: opened with a key or a password, used below `/console/api`, and ended. */
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { accountOf } from "#src/features/accounts/KeyCommands.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { ScryptCost } from "#src/features/accounts/PasswordHash.ts"
import { EventStore } from "#streams/EventStore.ts"
import { StreamName } from "#streams/StreamName.ts"
import { assertEnvelope } from "#test/src/edges/http/Calls.ts"
import { raw, type Reply } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { cheap } from "#test/src/features/accounts/PasswordNode.ts"
import * as ConsoleBrowser from "./ConsoleBrowser.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- each test expects another form
const bodyOf = ({ json }: Reply): any => json

const browser = Effect.map(TestServer.TestServer, ({ port }) => ConsoleBrowser.make(port))

/** A new account, with the text and the id of a key that has these rights. */
const account = Effect.fnUntraced(function* (name: string, grant: Partial<Grant.Grant> = {}) {
  yield* TestServer.openAccount(name)
  const accountId = accountOf(name)
  const { issueKey } = yield* Accounts
  const key = yield* issueKey({ accountId, name: "laptop", grant: { ...Grant.unlimited, ...grant } })
  return { accountId, keyId: key.keyId, text: ApiKey.format(key) }
})

const signedIn = Effect.fnUntraced(function* (text: string) {
  const one = yield* browser
  assert.strictEqual((yield* one.signIn({ api_key: text })).status, 200)
  return one
})

const me = (one: ConsoleBrowser.ConsoleBrowser) => Effect.map(one.call({ path: "/console/session" }), bodyOf)

const works = (one: ConsoleBrowser.ConsoleBrowser) =>
  Effect.map(one.call({ path: "/console/api/requests" }), ({ status }) => status)

const server = TestServer.layer().pipe(Layer.provide(Layer.succeed(ScryptCost, cheap)))

layer(server, { excludeTestServices: true })("A session of an account", (it) => {
  describe("signed in with a key", () => {
    it.effect("acts as the key, on routes of every kind, and shows who it is", () =>
      Effect.gen(function* () {
        const { accountId, keyId, text } = yield* account("session-of-key")
        const one = yield* browser
        assert.deepInclude(yield* me(one), { account: null, operator: null, sso: null })
        const opened = yield* one.signIn(
          { api_key: ` Key ${text} ` },
          { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 <b>" }
        )
        const [cookie = ""] = one.cookiesOf(opened)
        assert.match(
          cookie,
          /^inferlog-console-account=acc_[^;]+; Max-Age=43\d{3}; Path=\/; HttpOnly; SameSite=Strict$/
        )
        const { account: signed, serves, urls } = bodyOf(opened)
        assert.deepInclude(signed, { accountId, keyId, keyName: "laptop", scopes: Grant.unlimited.scopes })
        assert.deepStrictEqual(serves, { account: true, operator: false })
        assert.deepStrictEqual(urls, (yield* TestServer.TestServer).urls)
        assert.deepStrictEqual(bodyOf(opened), yield* me(one))
        assert.notInclude(opened.text, text.split(":")[1] ?? "")

        const submitted = yield* one.call({
          method: "POST",
          path: "/console/api/sandbox/echo",
          json: { value: 1 }
        })
        assert.strictEqual(submitted.status, 200, submitted.text)
        const id = String(bodyOf(submitted).request_id)
        const read = yield* one.call({ path: `/console/api/requests/${id}` })
        assert.strictEqual(bodyOf(read).id, id)
        const listed = yield* one.call({ path: "/console/api/requests?limit=1" })
        assert.strictEqual(bodyOf(listed).data[0].id, id)
        assertEnvelope(yield* one.call({ path: "/console/api/requests/rq0000000000000000000" }), 404)
        assertEnvelope(yield* one.call({ path: "/console/api/console/x" }), 404)
        assertEnvelope(yield* one.call({ path: "/console/api/admin/v1/self" }), 404)

        const { data } = bodyOf(yield* one.call({ path: "/console/api/keys" }))
        assert.isNotNull(data.find((key: { id: string }) => key.id === keyId)?.lastUsedAt)
        const { account: sessions } = bodyOf(yield* one.call({ path: "/console/session/all" }))
        assert.deepStrictEqual(
          sessions.map((listed: { browser: string; by: string; current: boolean; keyId: string }) => [
            listed.browser,
            listed.by,
            listed.current,
            listed.keyId
          ]),
          [["Firefox on Linux", "key", true, keyId]]
        )
      })
    )

    it.effect("may do no more than the key, and nothing outside of the console", () =>
      Effect.gen(function* () {
        const { text } = yield* account("session-of-reader", { scopes: ["requests:read"] })
        const one = yield* signedIn(text)
        assert.strictEqual(yield* works(one), 200)
        const submitted = yield* one.call({
          method: "POST",
          path: "/console/api/sandbox/echo",
          json: { value: 1 }
        })
        assertEnvelope(submitted, 403)
        assert.strictEqual(bodyOf(submitted).details.code, "MISSING_SCOPE")
        assertEnvelope(yield* one.call({ path: "/requests" }), 401)
        const [token = ""] = Array.from(one.jar.values(), decodeURIComponent)
        for (const scheme of ["Key", "Bearer", "Session"]) {
          assertEnvelope(
            yield* one.call({ path: "/requests", headers: { authorization: `${scheme} ${token}` } }),
            401
          )
        }
        for (const path of ["//requests", "/../requests", "/./requests", "/%72equests", "/console/session"]) {
          const smuggled = `GET /console/api${path} HTTP/1.1\r\nhost: a\r\ncookie: ${[...one.jar].map((pair) => pair.join("=")).join("; ")}\r\nconnection: close\r\n\r\n`
          assert.match(yield* raw((yield* TestServer.TestServer).port, smuggled), /^HTTP\/1.1 404 /)
        }
        // The cookie counts, not a key that is sent beside it.
        const { key } = yield* TestServer.TestServer
        const nobody = yield* browser
        assertEnvelope(
          yield* nobody.call({ path: "/console/api/requests", headers: { authorization: key } }),
          401
        )
      })
    )

    it.effect("ends with the key: rotated, revoked or expired", () =>
      Effect.gen(function* () {
        const { keyId, text } = yield* account("session-of-rotated")
        const accounts = yield* Accounts
        const one = yield* signedIn(text)
        yield* accounts.rotateKey({ keyId, graceMs: 60_000 })
        assert.strictEqual(yield* works(one), 401)
        // The previous secret opens none, although it is still valid.
        assertEnvelope(yield* one.signIn({ api_key: text }), 401)

        const second = yield* account("session-of-revoked")
        const two = yield* signedIn(second.text)
        assert.strictEqual(yield* works(two), 200)
        yield* accounts.revokeKey(second.keyId)
        assert.strictEqual(yield* works(two), 401)
        assert.lengthOf(two.jar, 1)
        assert.isNull((yield* me(two)).account)
        assert.lengthOf(two.jar, 0)

        const now = yield* Clock.currentTimeMillis
        const third = yield* account("session-of-expiring", { expiresAt: now + 3_600_000 })
        const three = yield* signedIn(third.text)
        assert.strictEqual(Date.parse((yield* me(three)).account.expiresAt), now + 3_600_000)
      })
    )

    it.effect("is refused for wrong keys, tokens and half a form, and limited by address", () =>
      Effect.gen(function* () {
        const one = yield* browser
        const { text } = yield* account("session-limited")
        const wrong = yield* one.signIn({ api_key: `${text}x` })
        assertEnvelope(wrong, 401)
        assert.strictEqual(bodyOf(wrong).details.code, "SIGN_IN_REFUSED")
        const token = yield* (yield* signedIn(text)).call({
          method: "POST",
          path: "/console/api/keys/tokens",
          json: { readOnly: true }
        })
        assert.strictEqual(token.status, 201, token.text)
        assertEnvelope(yield* one.signIn({ api_key: bodyOf(token).token }), 401)
        for (const json of [
          {},
          { account: "acc_0123456789abcdef" },
          { api_key: text, password: "x" },
          { key: text }
        ]) {
          assertEnvelope(yield* one.signIn(json), 400)
        }
        assertEnvelope(yield* one.signIn({ api_key: "op_0123456789abcdef:secret" }), 403)
        let last = wrong
        for (let tries = 0; tries < 120 && last.status !== 429; tries++) {
          last = yield* one.signIn({ api_key: `${text}x` })
        }
        assertEnvelope(last, 429)
        assert.strictEqual((yield* one.signIn({ api_key: text })).status, 200)
      })
    )
  })

  describe("signed in with a password", () => {
    it.effect("acts under one key of its own, and ends with the password or that key", () =>
      Effect.gen(function* () {
        const { accountId } = yield* account("session-of-password")
        const { set } = yield* Passwords
        const accounts = yield* Accounts
        const password = "correct horse battery staple"
        yield* set({ accountId, password: Redacted.make(password) })
        const form = { account: ` ${accountId} `, password }
        const one = yield* browser
        const two = yield* browser
        assertEnvelope(yield* one.signIn({ ...form, password: "wrong horse battery staple" }), 401)
        assertEnvelope(yield* one.signIn({ account: "acc_0000000000000000", password }), 401)
        assert.strictEqual((yield* one.signIn(form)).status, 200)
        assert.strictEqual((yield* two.signIn(form)).status, 200)
        const { account: first } = yield* me(one)
        assert.strictEqual(first.keyName, "Console")
        assert.strictEqual((yield* me(two)).account.keyId, first.keyId)
        assert.strictEqual(yield* works(one), 200)

        yield* accounts.revokeKey(first.keyId)
        assert.strictEqual(yield* works(one), 401)
        assert.strictEqual((yield* one.signIn(form)).status, 200)
        assert.notStrictEqual((yield* me(one)).account.keyId, first.keyId)
        assert.strictEqual(yield* works(one), 200)

        yield* set({ accountId, password: Redacted.make("another good password") })
        assert.strictEqual(yield* works(one), 401)
        assert.lengthOf(bodyOf(yield* two.call({ path: "/console/session/all" })).account, 0)
      })
    )
  })

  describe("is ended", () => {
    it.effect("by its own page, by another session, and with all others", () =>
      Effect.gen(function* () {
        const { text } = yield* account("session-ended")
        const [one, two, three] = [yield* signedIn(text), yield* signedIn(text), yield* signedIn(text)]
        const copy = new Map(one.jar)
        const out = yield* one.call({ method: "DELETE", path: "/console/session?kind=account" })
        assert.strictEqual(out.status, 200)
        assert.isNull(bodyOf(out).account)
        assert.lengthOf(one.jar, 0)
        for (const [name, value] of copy) one.jar.set(name, value)
        assert.strictEqual(yield* works(one), 401)

        const { sessionId } = (yield* me(three)).account
        const end = (id: string) =>
          two.call({ method: "DELETE", path: `/console/session/${id}?kind=account` })
        assertEnvelope(yield* end("n4bQgYhMfWWaL-qgxVrQFQ"), 404)
        assert.strictEqual((yield* end(sessionId)).status, 204)
        assert.strictEqual(yield* works(three), 401)

        const four = yield* signedIn(text)
        const others = yield* two.call({ method: "DELETE", path: "/console/session/all?kind=account" })
        assert.strictEqual(others.status, 204)
        assert.deepStrictEqual([yield* works(two), yield* works(four)], [200, 401])
        assertEnvelope(yield* two.call({ method: "DELETE", path: "/console/session/all?kind=operator" }), 404)
      })
    )

    it.effect("by the same key only, unless the key administers keys", () =>
      Effect.gen(function* () {
        const { accountId, text } = yield* account("session-of-admin")
        const { issueKey } = yield* Accounts
        const reader = yield* issueKey({
          accountId,
          name: "reader",
          grant: { ...Grant.unlimited, scopes: ["requests:read"] }
        })
        const [admin, one, two] = [
          yield* signedIn(text),
          yield* signedIn(ApiKey.format(reader)),
          yield* signedIn(ApiKey.format(reader))
        ]
        const seenBy = (who: ConsoleBrowser.ConsoleBrowser) =>
          Effect.map(who.call({ path: "/console/session/all" }), (reply) => bodyOf(reply).account.length)
        assert.deepStrictEqual([yield* seenBy(admin), yield* seenBy(one)], [3, 2])
        yield* one.call({ method: "DELETE", path: "/console/session/all?kind=account" })
        assert.deepStrictEqual([yield* works(admin), yield* works(one), yield* works(two)], [200, 200, 401])
      })
    )
  })

  it.effect("is for pages of this server only", () =>
    Effect.gen(function* () {
      const { port } = yield* TestServer.TestServer
      const { text } = yield* account("session-foreign")
      const one = yield* signedIn(text)
      const own = `http://127.0.0.1:${port}`
      const header = { "x-inferlog-console": "1" }
      const write = (page: Readonly<Record<string, string>>) =>
        Effect.map(
          one.call({ method: "POST", path: "/console/api/sandbox/echo", json: { value: 1 }, page }),
          (reply) => [reply.status, bodyOf(reply).details?.code]
        )
      const refused = [403, "FOREIGN_ORIGIN"]
      assert.deepStrictEqual(yield* write({}), refused)
      assert.deepStrictEqual(yield* write({ origin: own }), refused)
      assert.deepStrictEqual(yield* write(header), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: "https://evil.test" }), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: "null" }), refused)
      assert.deepStrictEqual(yield* write({ ...header, origin: own, "sec-fetch-site": "same-site" }), refused)
      assert.strictEqual((yield* write({ ...header, origin: own, "sec-fetch-site": "same-origin" }))[0], 200)

      const read = (path: string, page: Readonly<Record<string, string>>) =>
        Effect.map(one.call({ path, page }), ({ headers, status }) => [
          status,
          headers["access-control-allow-origin"]
        ])
      for (const path of ["/console/api/requests", "/console/session", "/console/session/all"]) {
        assert.deepStrictEqual(yield* read(path, { "sec-fetch-site": "cross-site" }), [403, undefined])
        assert.deepStrictEqual(yield* read(path, { origin: "https://evil.test" }), [403, undefined])
        assert.deepStrictEqual(yield* read(path, { "sec-fetch-site": "same-origin" }), [200, undefined])
      }
      const preflight = yield* raw(
        port,
        "OPTIONS /console/api/sandbox/echo HTTP/1.1\r\nhost: a\r\norigin: https://evil.test\r\naccess-control-request-method: POST\r\nconnection: close\r\n\r\n"
      )
      assert.match(preflight, /^HTTP\/1.1 403 /)
      assert.notMatch(preflight, /access-control/i)
      for (const method of ["POST", "DELETE"]) {
        const path = method === "POST" ? "/console/session" : "/console/session?kind=account"
        const reply = yield* one.call({ method, path, page: { origin: own }, json: { api_key: text } })
        assertEnvelope(reply, 403)
      }
    })
  )

  it.effect("leaves no secret on the log", () =>
    Effect.gen(function* () {
      const { accountId, text } = yield* account("session-secrets")
      const one = yield* signedIn(text)
      const [token = ""] = Array.from(one.jar.values(), decodeURIComponent)
      const store = yield* EventStore
      const found = JSON.stringify(yield* store.read(StreamName.make(`ConsoleSessions-${accountId}`)))
      assert.include(found, "ConsoleSessionOpened")
      for (const secret of [text, token]) assert.notInclude(found, secret.split(":")[1] ?? "")
    })
  )
})
