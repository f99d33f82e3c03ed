import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

/** A log with one account; the settings to run commands on it. */
const opened = Effect.gen(function* () {
  const settings = { DATA_DIR: yield* TempDirectory.make }
  const account = yield* Inferlog.json(
    Inferlog.Opened,
    ["accounts", "create", "--name", "acme", "--balance", "25"],
    settings
  )
  return { account, settings }
})

describe("Commands without a server", () => {
  it.effect("suggest corrections for a mistyped command, on separate lines", () =>
    Effect.gen(function* () {
      const { code, stderr } = yield* Inferlog.run(["acounts"], {})
      assert.strictEqual(code, 2)
      assert.match(stderr, /\n\n {2}Did you mean this\?\n {4}accounts\n/)
      assert.notInclude(stderr, "\u{fffd}")
    })
  )

  it.effect("open an account, create, list and revoke its keys, and exit with 1 for unknown ones", () =>
    Effect.gen(function* () {
      const { account, settings } = yield* opened
      assert.match(account.accountId, /^acc_[0-9a-f]{16}$/)
      assert.match(account.key, /^key_[0-9a-f]{16}_[A-Za-z0-9]{8}:\S{40,}$/)

      const created = yield* Inferlog.run(["keys", "create", "--name", "ci"], settings)
      assert.strictEqual(created.code, 0)
      assert.match(created.stderr, /shown only once/i)
      assert.notInclude(created.stderr, created.stdout.trim())
      const keyId = created.stdout.split(":")[0] ?? ""

      const revoked = yield* Inferlog.json(Inferlog.Revoked, ["keys", "revoke", keyId], settings)
      assert.deepStrictEqual(revoked, { keyId, revoked: true })

      const keys = yield* Inferlog.json(
        Inferlog.Listed,
        ["keys", "list", "--account", account.accountId],
        settings
      )
      assert.sameDeepMembers(
        keys.map(({ name, revokedAt }) => [name, revokedAt === null]),
        [
          ["first key", true],
          ["ci", false]
        ]
      )
      const listed = yield* Inferlog.run(["keys", "list"], settings)
      assert.include(listed.stdout, keyId)
      assert.notInclude(listed.stdout, account.key)

      const noAccount = ["keys", "create", "--account", "acc_0000000000000000", "--name", "ci"]
      for (const args of [noAccount, ["keys", "revoke", "nobody"]]) {
        const { code, stderr, stdout } = yield* Inferlog.run(args, settings)
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /^inferlog: There is no such (account|key)\n$/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("keys create requires an account when there are several, and lists them", () =>
    Effect.gen(function* () {
      const { account, settings } = yield* opened
      const other = yield* Inferlog.json(
        Inferlog.Opened,
        ["accounts", "create", "--name", "b", "--balance", "0"],
        settings
      )
      const { code, stderr, stdout } = yield* Inferlog.run(["keys", "create", "--name", "ci"], settings)
      assert.strictEqual(code, 2)
      assert.strictEqual(stdout, "")
      assert.include(stderr, account.accountId)
      assert.include(stderr, other.accountId)
    }).pipe(Effect.scoped)
  )

  it.effect("exit with 2 and without a stack trace for wrong arguments", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: path.join(yield* TempDirectory.make, "data") }
      const wrong: ReadonlyArray<ReadonlyArray<string>> = [
        ["no-such-command"],
        ["keys", "create"],
        ["keys", "create", "--name", ""],
        ["keys", "revoke"],
        ["accounts", "create", "--name", "acme", "--balance=-1"],
        ["accounts", "create", "--name", "acme", "--balance", "1e3"],
        ["log", "verify", "--expect", "12"],
        ["log", "verify", "--no-such-flag"]
      ]
      const ends = yield* Effect.forEach(wrong, (args) => Inferlog.run(args, settings), { concurrency: 2 })
      for (const { code, stderr, stdout } of ends) {
        assert.strictEqual(code, 2, stderr)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /^inferlog: .+\n(.+\n)*Try 'inferlog.* --help'\.\n$/)
        assert.notMatch(stderr, /\n\s+at /)
      }
      assert.isFalse(fs.existsSync(settings.DATA_DIR))
    }).pipe(Effect.scoped)
  )

  it.effect("create no data directory", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* TempDirectory.make, "data")
      for (const args of [
        ["keys", "list"],
        ["log", "verify"]
      ]) {
        const { code, stderr } = yield* Inferlog.run([...args, "--data-dir", directory], {
          DATA_DIR: "/nowhere"
        })
        assert.strictEqual(code, 1)
        assert.strictEqual(stderr, `inferlog: DATA_DIR: ${directory} contains no event log\n`)
      }
      assert.isFalse(fs.existsSync(directory))
    }).pipe(Effect.scoped)
  )

  it.effect("print help without colours when stdout is not a terminal", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* Inferlog.run(["keys", "create", "--help"], {})
      assert.strictEqual(code, 0)
      assert.include(stdout, "EXAMPLES")
      assert.include(stdout, "--data-dir")
      assert.notInclude(stdout, "\u001b")
    })
  )
})

describe("log verify", () => {
  it.effect("accepts the digest printed by log stats, and no other digest", () =>
    Effect.gen(function* () {
      const { settings } = yield* opened
      const stats = yield* Inferlog.json(Inferlog.Stats, ["log", "stats", "--types"], settings)
      assert.deepStrictEqual(stats.types, {
        OperatorActionStarted: 1,
        AccountOpened: 1,
        KeyIssued: 1,
        BalanceToppedUp: 1,
        OperatorActionEnded: 1
      })
      assert.strictEqual(stats.streams, 2)
      assert.strictEqual(stats.events, 5)
      assert.strictEqual(stats.position, "5")
      assert.isAbove(stats.bytes.log, 0)

      const anchor = `${stats.position}:${stats.digest}`
      const whole = yield* Inferlog.json(Inferlog.Verified, ["log", "verify", "--expect", anchor], settings)
      assert.deepInclude(whole, { ok: true, events: 5, position: "5", digest: stats.digest })

      for (const expected of [`4:${stats.digest}`, `6:${stats.digest}`]) {
        const { code, stderr } = yield* Inferlog.run(["log", "verify", "--expect", expected], settings)
        assert.strictEqual(code, 1)
        assert.match(stderr, /^inferlog: The log is broken at position [45]: .*--expect.*\n$/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("finds a flipped bit and names the event", () =>
    Effect.gen(function* () {
      const { settings } = yield* opened
      const file = path.join(settings.DATA_DIR, "log.sqlite")
      const bytes = fs.readFileSync(file)
      const at = bytes.indexOf(`"name":"acme"`) + `"name":"`.length
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      fs.writeFileSync(file, bytes)

      const { code, stderr, stdout } = yield* Inferlog.run(["log", "verify", "--json"], settings)
      assert.strictEqual(code, 1)
      assert.strictEqual(
        stderr,
        "inferlog: The log is broken at position 2: the event does not match its hash\n"
      )
      assert.deepStrictEqual(JSON.parse(stdout), {
        ok: false,
        position: "2",
        reason: "the event does not match its hash"
      })
    }).pipe(Effect.scoped)
  )
})
