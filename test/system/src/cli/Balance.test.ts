import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const balance = {
  accountId: Schema.String,
  balance: Schema.String,
  reserved: Schema.String,
  available: Schema.String,
  currency: Schema.Literal("USD"),
  updatedAt: Schema.NullOr(Schema.String),
  isCurrent: Schema.Literal(true)
}
const Shown = Schema.Struct(balance)
const ToppedUp = Schema.Struct({
  ...balance,
  paymentId: Schema.String,
  amount: Schema.String,
  applied: Schema.Boolean
})

const openAccount = (name: string, amount: string, settings: Inferlog.Settings) =>
  Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", name, "--balance", amount], settings)

const opened = Effect.gen(function* () {
  const settings = { DATA_DIR: yield* TempDirectory.make }
  const { accountId } = yield* openAccount("acme", "25", settings)
  return { accountId, settings }
})

const started = Effect.gen(function* () {
  const settings = {
    DATA_DIR: path.join(yield* TempDirectory.make, "data"),
    BOOTSTRAP_API_KEY: "first:secret",
    BOOTSTRAP_BALANCE: "0"
  }
  return { settings, server: yield* Inferlog.serve(settings) }
})

/** Status of the answer. */
const submit = (url: string) =>
  Effect.promise(async () => {
    const headers = { authorization: "Key first:secret", "content-type": "application/json" }
    const answer = await fetch(`${url}/sandbox/echo`, { method: "POST", headers, body: '{"value":"a"}' })
    await answer.text()
    return answer.status
  })

const show = ["balance", "show"]
const topUp = (amount: string, ...more: ReadonlyArray<string>) => [
  "balance",
  "topup",
  `--amount=${amount}`,
  ...more
]

describe("balance, without a server", () => {
  it.live("is credited once per payment id, and shown", () =>
    Effect.gen(function* () {
      const { accountId, settings } = yield* opened
      const before = yield* Inferlog.json(Shown, show, settings)
      assert.deepInclude(before, { accountId, balance: "25", reserved: "0", available: "25" })

      const payment = topUp("0.5", "--payment-id", "inv-1", "--reference", "Öl für 油 🛢")
      const first = yield* Inferlog.json(ToppedUp, payment, settings)
      assert.deepInclude(first, { applied: true, paymentId: "inv-1", amount: "0.5", balance: "25.5" })
      const again = yield* Inferlog.run(payment, settings)
      assert.strictEqual(again.code, 0)
      assert.match(again.stderr, /^Payment inv-1 was already paid in: nothing has changed\.\n$/)
      assert.match(again.stdout, /^available +25\.5 USD$/m)
      const repeated = yield* Inferlog.json(ToppedUp, payment, settings)
      assert.deepInclude(repeated, { applied: false, balance: "25.5", updatedAt: first.updatedAt })

      const other = yield* Inferlog.run(topUp("0.6", "--payment-id", "inv-1"), settings)
      assert.deepStrictEqual(other, {
        code: 1,
        stdout: "",
        stderr: "inferlog: Another amount was paid in under this payment id\n"
      })
      const tail = yield* Inferlog.run(["log", "tail", "--json", "--type", "BalanceToppedUp"], settings)
      assert.include(tail.stdout, "Öl für 油 🛢")
    }).pipe(Effect.scoped)
  )

  it.live("generates and prints a payment id when none is given", () =>
    Effect.gen(function* () {
      const { settings } = yield* opened
      const one = yield* Inferlog.json(ToppedUp, topUp("1"), settings)
      const two = yield* Inferlog.json(ToppedUp, topUp("1"), settings)
      assert.deepStrictEqual([one.applied, two.applied, two.balance], [true, true, "27"])
      assert.notStrictEqual(one.paymentId, two.paymentId)
      const three = yield* Inferlog.json(ToppedUp, topUp("1", "--payment-id", two.paymentId), settings)
      assert.isFalse(three.applied)
    }).pipe(Effect.scoped)
  )

  it.live("exits with 2 for wrong arguments and with 1 for an unknown account, without a payment", () =>
    Effect.gen(function* () {
      const { settings } = yield* opened
      const wrong = [
        ...[
          "0",
          "-1",
          "1e3",
          "1.0000000001",
          "1000000000.000000001",
          "9999999999999999999",
          "NaN",
          "",
          "１"
        ].map((amount) => topUp(amount)),
        ["balance", "topup"],
        topUp("1", "--payment-id", ""),
        topUp("1", "--payment-id", "two words"),
        topUp("1", "--payment-id", "é"),
        topUp("1", "--payment-id", "p".repeat(101)),
        topUp("1", "--reference", "r".repeat(201)),
        topUp("1", "--reference", "\u001b[31mred")
      ]
      const ends = yield* Effect.forEach(wrong, (args) => Inferlog.run(args, settings), { concurrency: 2 })
      for (const { code, stderr, stdout } of ends) {
        assert.strictEqual(code, 2, stderr)
        assert.strictEqual(stdout, "")
        assert.match(stderr, /^inferlog: .+\n(.+\n)*Try 'inferlog.* --help'\.\n$/)
        assert.notInclude(stderr, "\u001b")
      }
      const unknown = ["--account", "acc_0000000000000000"]
      for (const args of [[...show, ...unknown], topUp("1", ...unknown)]) {
        assert.deepStrictEqual(yield* Inferlog.run(args, settings), {
          code: 1,
          stdout: "",
          stderr: "inferlog: There is no such account\n"
        })
      }
      assert.strictEqual((yield* Inferlog.json(Shown, show, settings)).balance, "25")
      const most = yield* Inferlog.json(ToppedUp, topUp("1000000000"), settings)
      assert.strictEqual(most.balance, "1000000025")
    }).pipe(Effect.scoped)
  )

  it.live("requires an account when there are several, and creates no data directory", () =>
    Effect.gen(function* () {
      const { accountId, settings } = yield* opened
      yield* openAccount("b", "0", settings)
      const { code, stderr, stdout } = yield* Inferlog.run(topUp("1"), settings)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(stderr, accountId)
      const named = yield* Inferlog.json(Shown, [...show, "--account", accountId], settings)
      assert.strictEqual(named.balance, "25")

      const nowhere = path.join(settings.DATA_DIR, "absent")
      const absent = yield* Inferlog.run(topUp("1"), { DATA_DIR: nowhere })
      assert.deepStrictEqual(
        [absent.code, absent.stderr],
        [1, `inferlog: DATA_DIR: ${nowhere} contains no event log\n`]
      )
    }).pipe(Effect.scoped)
  )
})

describe("balance, beside a server", () => {
  it.live(
    "includes payments and credits from the next submit on, and many commands with one payment id credit once",
    () =>
      Effect.gen(function* () {
        const { server, settings } = yield* started
        assert.strictEqual(yield* submit(server.url), 402)
        yield* Inferlog.json(ToppedUp, topUp("0.001"), settings)
        assert.strictEqual(yield* submit(server.url), 200)
        assert.strictEqual(yield* submit(server.url), 402)
        yield* Inferlog.run(["accounts", "limits", "--credit", "0.001"], settings)
        assert.strictEqual(yield* submit(server.url), 200)
        assert.strictEqual(yield* submit(server.url), 402)

        const { accountId } = yield* openAccount("b", "0", settings)
        const commands = Array.from({ length: 6 }, () =>
          Inferlog.json(ToppedUp, topUp("5", "--payment-id", "inv-1", "--account", accountId), settings)
        )
        const ends = yield* Effect.all(commands, { concurrency: "unbounded" })
        assert.lengthOf(
          ends.filter(({ applied }) => applied),
          1
        )
        assert.isTrue(ends.every(({ balance }) => balance === "5"))
      }).pipe(Effect.scoped)
  )

  it.live("is credited once when the server is killed and the command is repeated", () =>
    Effect.gen(function* () {
      const { server, settings } = yield* started
      const payment = topUp("5", "--payment-id", "inv-1")
      const tail = yield* Inferlog.follow(["log", "tail", "-f", "--type", "BalanceToppedUp"], settings)
      const first = Inferlog.begin(payment, settings)
      yield* tail.until((stdout) => stdout.includes("BalanceToppedUp"))
      yield* server.kill("SIGKILL")
      const { code, stderr } = yield* Effect.promise(() => first.ended)
      if (code !== 0) assert.match(stderr, /^inferlog: .* repeat the command with --payment-id inv-1\n$/)

      const repeated = yield* Inferlog.json(ToppedUp, payment, settings)
      assert.deepInclude(repeated, { applied: false, balance: "5" })
      yield* Inferlog.serve(settings)
      const beside = yield* Inferlog.json(ToppedUp, payment, settings)
      assert.deepInclude(beside, { applied: false, balance: "5", accountId: repeated.accountId })
      const stats = yield* Inferlog.json(Inferlog.Stats, ["log", "stats", "--types"], settings)
      assert.strictEqual(stats.types["BalanceToppedUp"], 1)
    }).pipe(Effect.scoped)
  )
})
