import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const open = ["accounts", "create", "--name", "a", "--balance", "1", "--json"]

/** With the exit code of each. */
const commands: ReadonlyArray<readonly [code: number, args: ReadonlyArray<string>]> = [
  [0, ["--version"]],
  [0, ["keys", "create", "--help"]],
  [0, ["keys", "list", "--json"]],
  [0, ["log", "verify"]],
  [0, ["log", "export"]],
  [1, ["keys", "revoke", "nobody"]],
  [0, []],
  [2, ["keys", "create"]],
  [2, ["keys", "crate", "--name", "a"]]
]

describe("A command", () => {
  it.effect("behaves in its own process as in the tests, with the same exit code", () =>
    Effect.gen(function* () {
      const DATA_DIR = yield* TempDirectory.make
      const opened = yield* Inferlog.spawn(open, { DATA_DIR })
      assert.strictEqual(opened.code, 0, opened.stderr)
      for (const [code, args] of commands) {
        const ended = yield* Inferlog.spawn(args, { DATA_DIR })
        assert.strictEqual(ended.code, code, ended.stderr)
        assert.deepStrictEqual(yield* Inferlog.run(args, { DATA_DIR }), ended)
      }
    }).pipe(Effect.scoped)
  )
})
