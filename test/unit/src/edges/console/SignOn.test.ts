/** Single sign-on of operators in the console: from its link to the issuer and back, and out again. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { place, server } from "#test/support/src/edges/sso/SignOnServer.ts"
import * as TestBrowser from "#test/support/src/edges/sso/TestBrowser.ts"

it.live("An operator signs in to the console at the issuer, acts there, and signs out of both", () =>
  Effect.gen(function* () {
    const here = yield* place
    const { issuer, url } = here
    issuer.person = { sub: "ada", name: "Ada", groups: ["ops"] }
    yield* Effect.promise(() => issuer.start())
    yield* Effect.gen(function* () {
      const browser = TestBrowser.make()
      const visit = (path: string, sent?: TestBrowser.Sent) =>
        Effect.promise(() => browser.visit(`${url}/console${path}`, sent))
      const session = Effect.map(visit("/session"), ({ text }) => JSON.parse(text))

      const { operator: before, sso } = yield* session
      assert.isNull(before)
      const back = yield* Effect.promise(() =>
        browser.follow(sso.signIn, (next) => new URL(next).pathname.startsWith("/console"))
      )
      assert.deepStrictEqual([back.status, back.location], [303, `${url}/console`])
      // The session is also for pages below other paths than that of the sign-in.
      assert.isTrue(back.setCookies.some((line) => /^inferlog-operator=[^;]+;.* Path=\/;/.test(line)))
      const { operator } = yield* session
      assert.deepInclude(operator, { name: "Ada", role: "operator", kind: "sso" })

      const self = yield* visit("/api/admin/v1/self")
      assert.deepInclude(JSON.parse(self.text), { id: operator.id, role: "operator" })
      const open = (headers: Readonly<Record<string, string>>) =>
        visit("/api/admin/v1/accounts", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify({ name: "Harbour office" })
        })
      const page = { origin: url, "x-inferlog-console": "1" }
      assert.strictEqual((yield* open({ ...page, origin: "https://evil.test" })).status, 403)
      assert.strictEqual((yield* open(page)).status, 200)

      const copy = new Map(browser.jarOf(url))
      const out = yield* visit("/session?kind=operator", { method: "DELETE", headers: page })
      const { operator: gone, signOut } = JSON.parse(out.text)
      assert.isNull(gone)
      assert.strictEqual(new URL(signOut).origin, issuer.url)
      for (const [name, value] of copy) browser.jarOf(url).set(name, value)
      assert.strictEqual((yield* visit("/api/admin/v1/self")).status, 401)
    }).pipe(Effect.provide(server(here)))
  }).pipe(Effect.scoped)
)
