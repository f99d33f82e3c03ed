/**
 * Single sign-on as operators run it: a server process with its settings, a real issuer, and the command line.
 *
 * @process people sign in at a server that runs.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Schema } from "effect"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as SignOnServer from "#test/support/src/edges/sso/SignOnServer.ts"
import * as TestBrowser from "#test/support/src/edges/sso/TestBrowser.ts"
import * as TestIssuer from "#test/support/src/edges/sso/TestIssuer.ts"

const Created = Schema.Struct({ operatorId: Schema.String, key: Schema.String })

const scene = Effect.gen(function* () {
  const { directory: folder, issuer, port, url } = yield* SignOnServer.place
  const here = { DATA_DIR: path.join(folder, "data") }
  const server = yield* Inferlog.serve({
    ...here,
    ADMIN_PORT: String(port),
    ...TestIssuer.settingsOf(issuer, url)
  })
  const owner = yield* Inferlog.json(
    Created,
    ["operators", "create", "--name", "ada", "--role", "owner"],
    here
  )
  const visit = (browser: TestBrowser.TestBrowser, at: string, sent?: TestBrowser.Sent) =>
    Effect.promise(() => browser.visit(`${url}/admin/v1${at}`, sent))
  const signIn = (browser: TestBrowser.TestBrowser) =>
    Effect.promise(() => browser.follow(`${url}/admin/v1/sign-in`))
  return { folder, issuer, owner, server, signIn, url, visit }
})

type Scene = Effect.Success<typeof scene>

const post = (body: object): TestBrowser.Sent => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** `inferlog login`, with a browser that gets its address. */
const login = Effect.fnUntraced(function* ({ folder, url }: Scene, browser: TestBrowser.TestBrowser) {
  const settings = { ...Inferlog.environment, HOME: folder, DATA_DIR: path.join(folder, "none") }
  const command = InProcess.follow(["login", "prod", "--url", url, "--no-browser"], settings)
  const address = (text: string) => /^http:\S+$/m.exec(text)?.[0]
  const shown = yield* Effect.promise(() => command.until(({ stderr }) => address(stderr) !== undefined))
  const page = yield* Effect.promise(() => browser.follow(address(shown.stderr) ?? ""))
  const link = /href="(http:\/\/127\.0\.0\.1:\d+\/\?code=[^"]+)"/.exec(page.text)?.[1] ?? ""
  return { settings, command, page, link }
})

describe("Single sign-on at a served node", () => {
  it.live("signs in people with a role, in browsers and command lines, while keys need no issuer", () =>
    Effect.gen(function* () {
      const here = yield* scene
      const { folder, issuer, owner, server, signIn, visit } = here
      const withKey = { headers: { authorization: `Key ${owner.key}` } }

      const away = yield* signIn(TestBrowser.make())
      assert.strictEqual(away.status, 503)
      assert.include(away.text, "The issuer cannot be reached")
      assert.strictEqual((yield* visit(TestBrowser.make(), "/accounts", withKey)).status, 200)
      const beside = yield* Effect.promise(() => fetch(`${server.url}/admin/v1/sign-in`))
      assert.strictEqual(beside.status, 404)

      yield* Effect.promise(() => issuer.start())
      issuer.person = { sub: "bob", name: "Bob", groups: ["ops"] }
      const bob = TestBrowser.make()
      const found = yield* signIn(bob).pipe(
        Effect.repeat({ until: ({ status }) => status !== 503, schedule: Schedule.spaced("200 millis") })
      )
      assert.include(found.text, "As Bob, with the role operator")
      assert.deepInclude(JSON.parse((yield* visit(bob, "/self")).text), { name: "Bob", role: "operator" })
      assert.strictEqual((yield* visit(bob, "/accounts")).status, 200)
      const denied = yield* visit(bob, "/operators")
      assert.deepStrictEqual([denied.status, JSON.parse(denied.text).details.role], [403, "owner"])

      issuer.person = { sub: "eve", name: "Eve", groups: ["guests"] }
      const eve = TestBrowser.make()
      const refused = yield* signIn(eve)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "You have no role here")
      assert.strictEqual((yield* visit(eve, "/self")).status, 401)

      issuer.person = { sub: "ada", name: "Ada", groups: ["admins"] }
      const { command, link, page, settings } = yield* login(here, TestBrowser.make())
      assert.include(page.text, "A program on this machine asks to act as Ada, with the role owner")
      assert.deepStrictEqual(
        page.setCookies.filter((line) => line.includes("inferlog-operator")),
        []
      )
      const code = new URL(link).searchParams.get("code")
      const stolen = yield* visit(
        TestBrowser.make(),
        "/sign-in/token",
        post({ code, verifier: "x".repeat(43) })
      )
      assert.deepStrictEqual([stolen.status, JSON.parse(stolen.text).details.code], [403, "SIGN_IN_OVER"])
      assert.strictEqual((yield* Effect.promise(() => fetch(link))).status, 200)
      const ended = yield* Effect.promise(() => command.ended)
      assert.strictEqual(ended.code, 0, ended.stderr)
      assert.include(ended.stdout, "Signed in as Ada with the role owner until 20")
      const file = path.join(folder, ".config/inferlog/profiles.json")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      assert.strictEqual(fs.existsSync(settings.DATA_DIR), false)

      const created = yield* Inferlog.run(
        ["accounts", "create", "--name", "x", "--balance", "1", "--profile", "prod"],
        settings
      )
      assert.strictEqual(created.code, 0, created.stderr)
      const [profile] = yield* Inferlog.json(
        Schema.NonEmptyArray(Schema.Struct({ operatorId: Schema.String })),
        ["profiles", "list"],
        settings
      )
      const actions = yield* visit(TestBrowser.make(), "/actions", withKey)
      assert.include(
        JSON.parse(actions.text).data.map((one: { operatorId: string; action: string }) =>
          [one.operatorId, one.action].join()
        ),
        `${profile.operatorId},openAccount`
      )
      const end = { method: "DELETE", ...withKey }
      assert.strictEqual(
        (yield* visit(TestBrowser.make(), `/sessions/${profile.operatorId}`, end)).status,
        204
      )
      const after = yield* Inferlog.run(["accounts", "list", "--profile", "prod"], settings)
      assert.deepStrictEqual([after.code, after.stdout], [1, ""])
      assert.include(after.stderr, "wrong, revoked or expired")
    }).pipe(Effect.scoped)
  )
})
