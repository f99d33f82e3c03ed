import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Rate } from "#domain/account/Limits.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"

const Listed = Schema.Array(
  Schema.Struct({
    accountId: Schema.String,
    name: Schema.String,
    openedAt: Schema.String,
    erasedAt: Schema.Null,
    balance: Schema.String,
    reserved: Schema.String,
    available: Schema.String,
    currency: Schema.Literal("USD"),
    updatedAt: Schema.NullOr(Schema.String),
    isCurrent: Schema.Literal(true),
    creditLimit: Schema.String,
    maxOpenRequests: Schema.NullOr(Schema.Int),
    maxStoredBytes: Schema.NullOr(Schema.Int)
  })
)

const Limits = Schema.Struct({
  accountId: Schema.String,
  creditLimit: Schema.String,
  maxOpenRequests: Schema.NullOr(Schema.Int),
  maxStoredBytes: Schema.NullOr(Schema.Int),
  accountRate: Schema.NullOr(Rate),
  keyRate: Schema.NullOr(Rate),
  maxStreams: Schema.NullOr(Schema.Int),
  currency: Schema.Literal("USD")
})

const open = (name: string, balance: string, settings: Inferlog.Settings) =>
  Inferlog.json(Inferlog.Opened, ["accounts", "create", "--name", name, "--balance", balance], settings).pipe(
    Effect.map(({ accountId }) => accountId)
  )

const list = ["accounts", "list"]
const limits = (...flags: ReadonlyArray<string>) => ["accounts", "limits", ...flags]

/** Both use a data directory in `settings` that has only the accounts opened here. */
const ways = {
  "without a server": Effect.map(TempDirectory.make, (directory) => ({ DATA_DIR: directory })),
  "beside a server": Effect.gen(function* () {
    const settings = {
      DATA_DIR: path.join(yield* TempDirectory.make, "data"),
      BOOTSTRAP_API_KEY: "first:secret",
      BOOTSTRAP_BALANCE: "0"
    }
    yield* Inferlog.serve(settings)
    return settings
  })
}

for (const [way, make] of Object.entries(ways)) {
  describe(`accounts, ${way}`, () => {
    it.live(
      "are listed with balances and limits, as a table and as JSON, and their limits change one by one",
      () =>
        Effect.gen(function* () {
          const settings = yield* make
          const acme = yield* open("acme \u202eü", "25", settings)
          const other = yield* open("油", "0", settings)
          const some = limits("--account", other, "--credit=1.5", "--max-open=1200", "--max-stored=1.5TiB")
          yield* Inferlog.json(Limits, some, settings)

          const all = yield* Inferlog.json(Listed, list, settings)
          const found = [acme, other].map((id) => all.find(({ accountId }) => accountId === id))
          assert.deepInclude(found[0], {
            name: "acme \u202eü",
            balance: "25",
            reserved: "0",
            available: "25",
            creditLimit: "0",
            maxOpenRequests: null,
            maxStoredBytes: null
          })
          assert.deepInclude(found[1], {
            name: "油",
            balance: "0",
            updatedAt: null,
            creditLimit: "1.5",
            maxOpenRequests: 1200,
            maxStoredBytes: 1.5 * 1024 ** 4
          })

          const { code, stderr, stdout } = yield* Inferlog.run(list, settings)
          assert.deepStrictEqual([code, stderr], [0, ""])
          assert.match(
            stdout,
            /^ACCOUNT +NAME +BALANCE +RESERVED +AVAILABLE +CREDIT +MAX OPEN +MAX STORED +OPENED +ERASED\n/
          )
          assert.match(
            stdout,
            new RegExp(`^${acme} +acme \u{fffd}ü +25 +0 +25 +0 +any number +default +\\S+Z +-$`, "m")
          )
          assert.match(stdout, new RegExp(`^${other} +油 +0 +0 +0 +1.5 +1,200 +1536 GiB +\\S+Z +-$`, "m"))

          const account = ["--account", yield* open("acme", "0", settings)]
          const change = (...flags: ReadonlyArray<string>) =>
            Effect.map(
              Inferlog.json(Limits, limits(...account, ...flags), settings),
              ({ creditLimit, maxOpenRequests, maxStoredBytes }) => [
                creditLimit,
                maxOpenRequests,
                maxStoredBytes
              ]
            )
          assert.deepStrictEqual(yield* change(), ["0", null, null])
          assert.deepStrictEqual(yield* change("--credit=100"), ["100", null, null])
          assert.deepStrictEqual(yield* change("--max-open=0"), ["100", 0, null])
          assert.deepStrictEqual(yield* change("--max-stored=100 GiB"), ["100", 0, 107_374_182_400])
          assert.deepStrictEqual(yield* change("--max-open=none", "--credit=0.000000001"), [
            "0.000000001",
            null,
            107_374_182_400
          ])
          const people = yield* Inferlog.run(limits(...account), settings)
          assert.match(
            people.stdout,
            /^credit +0\.000000001 USD\nmost open requests +any number\nmost stored +100 GiB$/m
          )
          assert.deepStrictEqual(yield* change("--max-stored=0B"), ["0.000000001", null, 0])
          assert.deepStrictEqual(yield* change("--max-stored=none"), ["0.000000001", null, null])
          assert.match((yield* Inferlog.run(limits(...account), settings)).stdout, /^most stored +default$/m)
        }).pipe(Effect.scoped)
    )
  })
}

describe("rate limits of an account", () => {
  it.live("are shown, change one by one, and apply to a running server", () =>
    Effect.gen(function* () {
      const settings = { DATA_DIR: path.join(yield* TempDirectory.make, "data"), BOOTSTRAP_API_KEY: "a:b" }
      const { url } = yield* Inferlog.serve(settings)
      const change = (...flags: ReadonlyArray<string>) =>
        Effect.map(
          Inferlog.json(Limits, limits(...flags), settings),
          ({ accountRate, keyRate, maxStreams }) => [accountRate, keyRate, maxStreams]
        )
      const shown = Effect.map(Inferlog.run(limits(), settings), ({ stdout }) => stdout)
      assert.match(
        yield* shown,
        /^calls of all keys +any number\ncalls of a key +any number\nmost streams +10,000$/m
      )
      const minute = { requests: 1_200, windowSeconds: 60 }
      const second = { requests: 20, windowSeconds: 1 }
      assert.deepStrictEqual(yield* change("--rate=1200/1m"), [minute, null, null])
      assert.deepStrictEqual(yield* change("--key-rate=20/1s", "--max-streams=0"), [minute, second, 0])
      const request = { headers: { authorization: "Key a:b" } }
      const files = Effect.promise(() => fetch(`${url}/files`, request))
      const told = Effect.repeat(
        Effect.map(files, ({ headers }) => headers.get("ratelimit-policy")),
        { until: (policy) => policy?.includes('"key"') === true }
      )
      assert.strictEqual(yield* told, '"account";q=1200;w=60, "key";q=20;w=1')
      assert.match(yield* shown, /^calls of all keys +1,200\/60s\ncalls of a key +20\/1s\nmost streams +0$/m)
      assert.deepStrictEqual(yield* change("--rate=none"), [null, second, 0])
      assert.deepStrictEqual(yield* change("--key-rate=none", "--max-streams=none"), [null, null, null])
    }).pipe(Effect.scoped)
  )
})

describe("accounts with wrong arguments", () => {
  it.live("exit with 2, or with 1 for an unknown account, and change nothing", () =>
    Effect.gen(function* () {
      const settings = yield* ways["without a server"]
      yield* open("acme", "0", settings)
      const wrong = [
        ...["-1", "1e3", "1000000000.1", "", "none"].map((credit) => limits(`--credit=${credit}`)),
        ...["-1", "1.5", "1e3", "1000000001", "", "any"].map((most) => limits(`--max-open=${most}`)),
        ...["-1B", "100", "1e3KB", "1GBit", "4097TiB", "", "any"].map((most) =>
          limits(`--max-stored=${most}`)
        ),
        ...["100", "0/1s", "1/0s", "1000001/1s", "1/86401s", "1/25h", "any"].map((rate) =>
          limits(`--rate=${rate}`)
        ),
        ...["1.5/1s", "-1/1s", ""].map((rate) => limits(`--key-rate=${rate}`)),
        ...["-1", "1000001", "any"].map((most) => limits(`--max-streams=${most}`))
      ]
      const ends = yield* Effect.forEach(wrong, (args) => Inferlog.run(args, settings), { concurrency: 2 })
      for (const { code, stderr, stdout } of ends) {
        assert.deepStrictEqual([code, stdout], [2, ""])
        assert.match(
          stderr,
          /^inferlog: (Invalid|Missing) value .*\nTry 'inferlog accounts limits --help'\.\n$/
        )
      }
      for (const flags of [[], ["--credit=1"]]) {
        const unknown = limits("--account", "acc_0000000000000000", ...flags)
        assert.deepStrictEqual(yield* Inferlog.run(unknown, settings), {
          code: 1,
          stdout: "",
          stderr: "inferlog: There is no such account\n"
        })
      }
      const shown = yield* Inferlog.json(Limits, limits(), settings)
      assert.deepInclude(shown, { creditLimit: "0", maxOpenRequests: null, maxStoredBytes: null })
      const stats = yield* Inferlog.json(Inferlog.Stats, ["log", "stats", "--types"], settings)
      assert.isUndefined(stats.types["LimitsChanged"])

      const nowhere = path.join(settings.DATA_DIR, "absent")
      for (const args of [list, limits()]) {
        const { code, stderr } = yield* Inferlog.run(args, { DATA_DIR: nowhere })
        assert.deepStrictEqual([code, stderr], [1, `inferlog: DATA_DIR: ${nowhere} contains no event log\n`])
      }
    }).pipe(Effect.scoped)
  )
})
