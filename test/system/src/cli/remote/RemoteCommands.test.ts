/** Commands through an operator's key print what they print beside the server, on the port of administration only. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import * as FreePort from "#bench/harness/FreePort.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as InProcess from "#test/support/src/cli/InProcess.ts"
import * as ManifestFolder from "#test/support/src/features/manifests/ManifestFolder.ts"
import * as Everywhere from "#test/support/src/cli/remote/Everywhere.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Created = Schema.Struct({ operatorId: Schema.String, key: Schema.String })
const Actions = Schema.Struct({
  actions: Schema.Array(
    Schema.Struct({ operatorId: Schema.String, action: Schema.String, result: Schema.NullOr(Schema.String) })
  ),
  next: Schema.NullOr(Schema.String)
})

const statusOf = (url: string, sent: RequestInit) =>
  Effect.promise(async () => (await fetch(url, sent)).status)

const Paths = Schema.Struct({
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown))
})
const pathsAt = (url: string) =>
  Effect.promise(async () => Schema.decodeUnknownSync(Paths)(await (await fetch(url)).json()))

const makeScene = Effect.gen(function* () {
  const folder = yield* TempDirectory.make
  const adminPort = yield* FreePort.find
  const here = { DATA_DIR: path.join(folder, "data"), BOOTSTRAP_API_KEY: "first:secret" }
  // What the server runs for commands acts on its own data.
  const server = yield* Inferlog.serve({
    ...here,
    ADMIN_PORT: String(adminPort),
    ARCHIVE: path.join(folder, "archive"),
    INFERLOG_PROFILE: "none"
  })
  const owner = yield* Inferlog.json(
    Created,
    ["operators", "create", "--name", "ada", "--role", "owner"],
    here
  )
  const url = `http://127.0.0.1:${adminPort}`
  const elsewhere = {
    HOME: folder,
    DATA_DIR: path.join(folder, "none"),
    INFERLOG_ADMIN_URL: url,
    INFERLOG_OPERATOR_KEY: owner.key
  }
  return { folder, here, server, owner, url, elsewhere }
})

/** One server for all tests here. */
class Scene extends Context.Service<Scene, Effect.Success<typeof makeScene>>()("inferlog/test/RemoteScene") {
  static readonly layer = Layer.effect(Scene, makeScene)
}

/** They change nothing, so that both ways print the same. */
const reads = (accountId: string) => [
  ["accounts", "list"],
  ["accounts", "limits", "--account", accountId],
  ["balance", "show"],
  ["keys", "list"],
  ["keys", "revoke", "nobody"],
  ["keys", "rotate", "nobody"],
  ["workers", "list"],
  ["workers", "revoke", "nobody"],
  ["providers", "reset", "none"],
  ["models", "list"],
  ["models", "show", "sandbox/echo"],
  ["models", "show", "sandbox/none"],
  ["models", "withdraw", "sandbox/echo"],
  ["requests", "list"],
  ["requests", "show", "rq000000000000000000_"],
  ["operators", "list"],
  ["operators", "revoke", "op_0000000000000000"],
  ["operators", "rotate", "op_0000000000000000"],
  ["balance", "topup", "--amount", "1", "--payment-id", "p", "--account", "acc_0000000000000000"],
  ["log", "tail", "--type", "OperatorCreated"],
  ["log", "tail", "-n", "1", "--stream", `Account-${accountId}`],
  ["log", "tail", "--type", "None"],
  ["log", "export", "--until", "20", "--type", "ItemPublished"],
  ["log", "export", "--after", "1000000"],
  ["log", "stats"]
]

/** Passes over the log, which the server runs in a process of their own. */
const passes = [
  ["log", "stats", "--types", "--json"],
  ["log", "verify", "--expect", `1:${"A".repeat(43)}`, "--json"],
  ["audit"],
  ["audit", "--format", "csv"],
  ["audit", "--account", "acc_0000000000000000"]
]

const refusals: Readonly<Record<string, RegExp>> = {
  "requests show": /no such request/i,
  "providers reset": /No model of the catalog has a provider of this name/
}

layer(Scene.layer, { excludeTestServices: true })("Commands to a server elsewhere", (it) => {
  it.effect("print what they print beside it, on its port of administration only", () =>
    Effect.gen(function* () {
      const { elsewhere, here, owner } = yield* Scene
      const opened = yield* Inferlog.json(
        Inferlog.Opened,
        ["accounts", "create", "--name", "acme", "--balance", "25"],
        elsewhere
      )
      const issued = yield* Inferlog.json(
        Inferlog.Issued,
        ["keys", "create", "--name", "ci", "--account", opened.accountId],
        elsewhere
      )
      yield* Inferlog.json(Inferlog.Revoked, ["keys", "revoke", issued.keyId], elsewhere)
      assert.isFalse(fs.existsSync(elsewhere.DATA_DIR))

      const both = reads(opened.accountId).flatMap((args) => [args, [...args, "--json"]])
      for (const args of [...both, ...passes]) {
        const beside = yield* Inferlog.run(args, here)
        const remote = yield* Inferlog.run(args, elsewhere)
        assert.deepStrictEqual(remote, beside, args.join(" "))
      }
      const listed = yield* Inferlog.run(["projections", "list"], elsewhere)
      assert.strictEqual(listed.code, 0, listed.stderr)

      const { actions } = yield* Inferlog.json(
        Actions,
        ["operators", "actions", "--limit", "1000"],
        elsewhere
      )
      const mine = actions.filter(({ operatorId }) => operatorId === owner.operatorId)
      assert.includeMembers(
        mine.filter(({ result }) => result === "done").map(({ action }) => action),
        ["openAccount", "issueKey", "revokeKey"]
      )
      assert.include(
        actions.filter(({ operatorId }) => operatorId === "socket").map(({ action }) => action),
        "createOperator"
      )
    })
  )

  it.effect("serves each route on one of the two ports", () =>
    Effect.gen(function* () {
      const { owner, server, url } = yield* Scene
      const withKey = { headers: { authorization: `Key ${owner.key}` } }
      const ports = [
        { here: url, there: server.url, document: "/admin/v1/openapi.json" },
        { here: server.url, there: url, document: "/openapi.json" }
      ]
      for (const { document, here, there } of ports) {
        const { paths } = yield* pathsAt(`${here}${document}`)
        const routes = Object.entries(paths).flatMap(([route, methods]) =>
          Object.keys(methods)
            .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
            .map((method) => ({ path: route.replace(/\{[^}]+\}/g, "x"), method: method.toUpperCase() }))
        )
        assert.isAbove(routes.length, 40)
        // The console is on both: operators sign in at one, accounts at the other.
        const ofOne = routes.filter(({ path }) => path !== "/health" && !path.startsWith("/console/"))
        for (const { method, path } of ofOne) {
          const status = yield* statusOf(`${there}${path}`, { method, ...withKey })
          assert.include([404, 405], status, `${method} ${path}`)
        }
      }
      assert.strictEqual(yield* statusOf(`${url}/admin/v1/accounts`, withKey), 200)
    })
  )

  it.effect("say what is wrong with the address, the key and the role, and never show the key", () =>
    Effect.gen(function* () {
      const { elsewhere, owner, url } = yield* Scene
      const auditor = yield* Inferlog.json(
        Created,
        ["operators", "create", "--name", "eve", "--role", "auditor"],
        elsewhere
      )
      const list = ["accounts", "list"]
      const archive = ["log", "archive", "--older-than", "90d"]
      const wrong = `${owner.operatorId}:wr0ngS3cret`
      const cases = [
        [
          ["accounts", "create", "--name", "x", "--balance", "1"],
          { INFERLOG_OPERATOR_KEY: auditor.key },
          1,
          /role (operator|owner)/
        ],
        [[...archive, "/x"], {}, 2, /TARGET: does not go with --url/],
        [[...archive, "--compact"], {}, 2, /--compact works on this machine only/],
        [archive, { INFERLOG_OPERATOR_KEY: auditor.key }, 1, /role owner/],
        [list, { INFERLOG_OPERATOR_KEY: wrong }, 1, /wrong, revoked or expired/],
        [list, { INFERLOG_OPERATOR_KEY: "key_1:secret" }, 2, /Expected an operator's key/],
        [[...list, "--url", "http://10.1.2.3"], {}, 2, /use https/],
        [[...list, "--url", "ftp://x"], {}, 2, /--url/],
        [[...list, "--url", "http://127.0.0.1:1"], {}, 1, /did not carry out/],
        [[...list, "--profile", "none"], {}, 2, /no such profile/]
      ] as const
      for (const [args, settings, code, message] of cases) {
        const ended = yield* Inferlog.run(args, { ...elsewhere, ...settings })
        assert.strictEqual(ended.code, code, `${args.join(" ")}: ${ended.stderr}`)
        assert.match(ended.stderr, message)
        for (const secret of [owner.key, auditor.key, wrong]) {
          assert.notInclude(ended.stderr + ended.stdout, secret.split(":")[1] ?? secret)
        }
      }
      const flags = yield* Inferlog.run([...list, "--url", url, "--key", owner.key], {
        DATA_DIR: elsewhere.DATA_DIR
      })
      assert.strictEqual(flags.code, 0, flags.stderr)
    })
  )

  it.effect("use profiles, from a file that only its owner may read", () =>
    Effect.gen(function* () {
      const { folder, elsewhere, owner, url } = yield* Scene
      const settings = { HOME: folder, DATA_DIR: elsewhere.DATA_DIR }
      const added = yield* Inferlog.run(["profiles", "add", "prod", "--url", url], settings, `${owner.key}\n`)
      assert.strictEqual(added.code, 0, added.stderr)
      const file = path.join(folder, ".config/inferlog/profiles.json")
      assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      const listed = yield* Inferlog.run(["profiles", "list", "--json"], settings)
      assert.deepStrictEqual(JSON.parse(listed.stdout), [{ name: "prod", url, operatorId: owner.operatorId }])
      const used = yield* Inferlog.run(["accounts", "list", "--profile", "prod"], settings)
      assert.strictEqual(used.code, 0, used.stderr)

      fs.chmodSync(file, 0o640)
      const open = yield* Inferlog.run(["accounts", "list", "--profile", "prod"], settings)
      assert.strictEqual(open.code, 1)
      assert.match(open.stderr, /chmod 600/)
      fs.chmodSync(file, 0o600)
      yield* Inferlog.run(["profiles", "remove", "prod"], settings)
      assert.notInclude(fs.readFileSync(file, "utf8"), owner.key)
    })
  )

  it.effect("follow and continue the log as beside it", () =>
    Effect.gen(function* () {
      const { elsewhere, folder, here } = yield* Scene
      const following = InProcess.follow(
        ["log", "tail", "-f", "-n", "0", "--type", "AccountOpened"],
        elsewhere
      )
      yield* Effect.promise(() => following.until(({ stdout }) => stdout.includes("POSITION")))
      const file = path.join(folder, "log.ndjson")
      const args = ["log", "export", "--to", file]
      assert.strictEqual((yield* Inferlog.run(args, elsewhere)).code, 0)
      const opened = yield* Inferlog.json(
        Inferlog.Opened,
        ["accounts", "create", "--name", "new", "--balance", "1"],
        here
      )
      yield* Effect.promise(() => following.until(({ stdout }) => stdout.includes(opened.accountId)))
      assert.strictEqual((yield* Effect.promise(() => following.stop())).code, 0)
      const exported = yield* Inferlog.run(args, elsewhere)
      assert.strictEqual(exported.code, 0, exported.stderr)
      const whole = yield* Inferlog.run(["log", "export"], here)
      assert.strictEqual(fs.readFileSync(file, "utf8"), whole.stdout)
    })
  )

  it.effect("work from there, each of them, or say that they do not", () =>
    Effect.gen(function* () {
      const { elsewhere, folder, owner, url } = yield* Scene
      const known = [Object.keys(Everywhere.elsewhere), Everywhere.asAccount, Everywhere.onlyHere]
      assert.sameMembers(known.flat(), [...(yield* Everywhere.commands)])
      Everywhere.documented().forEach((documented, row) =>
        assert.sameMembers([...documented], known[row] ?? [])
      )

      for (const name of Everywhere.onlyHere.filter((one) => !Everywhere.ownUrl.includes(one))) {
        const refused = yield* Inferlog.run([...name.split(" "), "--url", url], elsewhere)
        assert.strictEqual(refused.code, 2, name)
        assert.include(refused.stderr, `'inferlog ${name}' works on this machine only`)
      }

      const json = <S extends Schema.ConstraintDecoder<unknown>>(schema: S, ...args: ReadonlyArray<string>) =>
        Inferlog.json(schema, args, elsewhere)
      const { accountId } = yield* json(
        Inferlog.Opened,
        "accounts",
        "create",
        "--name",
        "x",
        "--balance",
        "1"
      )
      const { keyId } = yield* json(Inferlog.Issued, "keys", "create", "--name", "x", "--account", accountId)
      const worker = yield* json(Schema.Struct({ keyId: Schema.String }), "workers", "create", "--name", "x")
      const other = yield* json(Created, "operators", "create", "--name", "x", "--role", "viewer")
      ManifestFolder.write(path.join(folder, "models"), { "echo.yaml": ManifestFolder.model("acme/echo") })
      const facts = { accountId, keyId, workerKeyId: worker.keyId, operatorId: other.operatorId, folder }
      const wrong = { ...elsewhere, INFERLOG_OPERATOR_KEY: `${owner.operatorId}:wr0ngS3cret` }
      for (const [name, given] of Object.entries(Everywhere.elsewhere)) {
        const args = [...name.split(" "), ...(typeof given === "function" ? given(facts) : given)]
        const stranger = yield* Inferlog.run(args, wrong)
        assert.strictEqual(stranger.code, 1, name)
        // All come from one address.
        assert.match(stranger.stderr, /wrong, revoked or expired|Too many wrong operator keys/, name)
        const done = yield* Inferlog.run(args, elsewhere)
        const refusal = refusals[name]
        if (refusal === undefined) assert.strictEqual(done.code, 0, `${name}: ${done.stderr}`)
        else assert.match(done.stderr, refusal)
      }
      assert.isFalse(fs.existsSync(elsewhere.DATA_DIR))
    })
  )
})
