/** Sessions of accounts in the console: opened with a key or a password, and used below `/console/api`. */
import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Grant from "#domain/account/Grant.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import { Passwords } from "#src/features/accounts/Passwords.ts"
import { EventStore } from "#streams/EventStore.ts"
import { StreamName } from "#streams/StreamName.ts"
import { assertEnvelope } from "#test/support/src/edges/http/Calls.ts"
import { raw } from "#test/support/HttpProbe.ts"
import * as TestServer from "#test/support/TestServer.ts"
import {
  account,
  bodyOf,
  browser,
  me,
  server,
  signedIn,
  works
} from "#test/support/src/edges/console/SessionScene.ts"

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
