/** The example of an external read model, used as its first lines say. */
import * as childProcess from "node:child_process"
import { once } from "node:events"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Generations from "#projections/rebuild/Generations.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as LongLog from "#test/support/LongLog.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as FilledLog from "#test/support/src/cli/log/FilledLog.ts"

const example = "examples/projection/daily-spend.mjs"

const Spend = Schema.fromJsonString(
  Schema.Struct({
    position: Schema.String,
    rows: Schema.Array(
      Schema.Struct({
        day: Schema.String,
        account: Schema.String,
        model: Schema.String,
        requests: Schema.Int,
        usd: Schema.String
      })
    )
  })
)
const decodeSpend = Schema.decodeUnknownSync(Spend)

const run = (args: ReadonlyArray<string>, input = "") =>
  childProcess.spawnSync(process.execPath, [example, ...args], { input, encoding: "utf8" })

const show = (file: string) => decodeSpend(run(["show", "--json", "--file", file]).stdout)

const exported = (settings: Inferlog.Settings, ...args: ReadonlyArray<string>) =>
  Effect.map(Inferlog.run(["log", "export", ...args], settings), ({ code, stderr, stdout }) => {
    assert.strictEqual(code, 0, stderr)
    return stdout
  })

/** Feeds it the beginning of an export and kills it after it has applied a part. */
const killedInTheMiddle = Effect.fnUntraced(function* (file: string, begin: string) {
  const child = childProcess.spawn(process.execPath, [example, "build", "--file", file], {
    stdio: ["pipe", "ignore", "inherit"]
  })
  const closed = once(child, "close")
  child.stdin.on("error", () => {})
  child.stdin.write(begin)
  const position = () => {
    try {
      using db = new DatabaseSync(file, { readOnly: true })
      return Number(db.prepare("SELECT position FROM checkpoint").get()?.["position"] ?? 0)
    } catch {
      return 0
    }
  }
  while (position() === 0) {
    assert.isNull(child.exitCode, "it has ended before it was killed")
    yield* Effect.yieldNow
  }
  child.kill("SIGKILL")
  yield* Effect.promise(() => closed)
})

describe("The example of an external projection", () => {
  it.live("counts every charge once, also after a kill and repeated events", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      const settings = { DATA_DIR: directory }
      const events = LongLog.write(directory, 1_200)
      const [file, fresh] = [`${directory}/spend.sqlite`, `${directory}/fresh.sqlite`]
      const whole = yield* exported(settings)
      // The last line is torn.
      yield* killedInTheMiddle(file, whole.slice(0, whole.length * 0.7))

      const { stdout } = run(["position", "--file", file])
      assert.isBelow(Number(stdout), events)
      const after = yield* exported(settings, "--after", stdout.trim())
      assert.strictEqual(run(["build", "--file", file], after).status, 0)
      const { position, rows } = show(file)
      assert.strictEqual(position, String(events))

      assert.strictEqual(run(["build", "--file", fresh], whole).status, 0)
      assert.deepStrictEqual(show(fresh), { position, rows })
      assert.strictEqual(run(["build", "--file", file], whole).status, 0)
      assert.deepStrictEqual(show(file), { position, rows })

      const day = { day: "2023-11-14", model: "sandbox/echo", requests: 600, usd: "0.600000000" }
      assert.deepStrictEqual(rows, [
        { ...day, account: "acc_alice" },
        { ...day, account: "acc_bob" }
      ])
      yield* Inferlog.run(["projections", "rebuild", "ledger"], settings)
      using ledger = new DatabaseSync(Generations.current(Generations.baseIn(directory)), { readOnly: true })
      const balances = ledger.prepare("SELECT account_id, balance FROM ledger_balances ORDER BY 1").all()
      assert.deepStrictEqual(
        balances.filter(({ account_id }) => String(account_id).startsWith("acc_")).map((row) => ({ ...row })),
        rows.map(({ account }) => ({ account_id: account, balance: "-600000000" }))
      )
    }).pipe(Effect.scoped)
  )

  it.live("ignores unknown event types, and rejects an event out of sequence", () =>
    Effect.gen(function* () {
      const directory = yield* TempDirectory.make
      yield* FilledLog.grow(directory, "a", 100)
      const whole = yield* exported({ DATA_DIR: directory })
      const file = `${directory}/spend.sqlite`
      assert.strictEqual(run(["build", "--verify", "--file", file], whole).status, 0)
      assert.deepStrictEqual(show(file), { position: "100", rows: [] })

      yield* FilledLog.grow(directory, "b", 8)
      const later = yield* exported({ DATA_DIR: directory }, "--after", "100")
      for (const wrong of [later.split("\n").slice(1).join("\n"), later.replace('"index":0', '"index":9')]) {
        const { status, stderr } = run(["build", "--verify", "--file", file], wrong)
        assert.notStrictEqual(status, 0)
        assert.match(stderr, /broken at 10\d/)
        assert.strictEqual(show(file).position, "100")
      }
      assert.strictEqual(run(["build", "--verify", "--file", file], later).status, 0)
      assert.strictEqual(show(file).position, "108")
    }).pipe(Effect.scoped)
  )
})
