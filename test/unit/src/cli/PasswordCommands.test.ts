/** `accounts passwd` without a server, with the password from a pipe. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const password = "correct horse battery"

const passwd = (...args: ReadonlyArray<string>) => ["accounts", "passwd", ...args]

const open = (name: string, settings: Inferlog.Settings) =>
  Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", name, "--balance", "0"], settings).pipe(
    Effect.map(({ accountId }) => accountId)
  )

const Changed = Schema.Struct({ data: Schema.Struct({ sealed: Schema.NullOr(Schema.String) }) })
const decodeChanged = Schema.decodeUnknownSync(Schema.fromJsonString(Changed))

/** The password events on the log: whether each sets a password. */
const changes = (settings: Inferlog.Settings) =>
  Effect.map(Inferlog.run(["log", "tail", "--json", "--type", "PasswordChanged"], settings), ({ stdout }) =>
    stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => decodeChanged(line).data.sealed !== null)
  )

describe("accounts passwd", () => {
  it.live("sets the first line of stdin as the password of the only account, and removes it", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* TempDirectory.make }
      const accountId = yield* open("acme", settings)
      const set = yield* Inferlog.run(passwd(), settings, `${password}\r\nand more\n`)
      assert.deepStrictEqual([set.code, set.stderr], [0, ""])
      assert.match(set.stdout, new RegExp(`^Set the password of ${accountId}\\. .*\\n$`))
      assert.notInclude(set.stdout, password)
      assert.deepStrictEqual(yield* Inferlog.run(passwd(accountId, "--json"), settings, password), {
        code: 0,
        stdout: `{"accountId":"${accountId}","hasPassword":true}\n`,
        stderr: ""
      })
      assert.deepStrictEqual(yield* Inferlog.run(passwd("--remove", "--json"), settings), {
        code: 0,
        stdout: `{"accountId":"${accountId}","hasPassword":false}\n`,
        stderr: ""
      })
      assert.deepStrictEqual(yield* changes(settings), [true, true, false])
    }).pipe(Effect.scoped)
  )

  it.live("rejects invalid passwords without showing them, unknown accounts, and ambiguous ones", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: yield* TempDirectory.make }
      const accountId = yield* open("acme", settings)
      const inputs = ["", "\n", "fourteen chars", `bell\u0007 in a password`, "a".repeat(257)]
      for (const input of [...inputs, "invalid \u{fffd} UTF-8 in it"]) {
        const { code, stderr, stdout } = yield* Inferlog.run(passwd(accountId), settings, input)
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(
          stderr,
          /^inferlog: stdin( is empty)?: Expected (a password of 15 to 256 characters.*|UTF-8)\n$/
        )
        if (input.length > 1) assert.notInclude(stderr, input)
      }
      const unknown = yield* Inferlog.run(passwd("acc_0000000000000000"), settings, password)
      assert.deepStrictEqual([unknown.code, unknown.stderr], [1, "inferlog: There is no such account\n"])
      yield* open("other", settings)
      const which = yield* Inferlog.run(passwd(), settings, password)
      assert.strictEqual(which.code, 2)
      assert.match(which.stderr, /^inferlog: There are 2 accounts; name one: acc_\w+, acc_\w+\n$/)
      assert.deepStrictEqual(yield* changes(settings), [])
    }).pipe(Effect.scoped)
  )
})
