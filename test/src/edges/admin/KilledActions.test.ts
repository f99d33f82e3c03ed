/** A server that is killed between the record of an action and its effect: nothing is done twice, and nothing hidden. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as FaultyDisk from "#bench/harness/disk/FaultyDisk.ts"
import * as PreloadedLibrary from "#bench/harness/disk/PreloadedLibrary.ts"
import * as Inferlog from "#test/src/cli/Inferlog.ts"
import * as Until from "#test/support/servers/Until.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const Created = Schema.Struct({ operatorId: Schema.String, key: Schema.String })
const Actions = Schema.Struct({
  actions: Schema.Array(Schema.Struct({ action: Schema.String, result: Schema.NullOr(Schema.String) }))
})
const ToppedUp = Schema.Struct({ applied: Schema.Boolean, balance: Schema.String })

/** ms of each of the several writes, and of the sync, of a commit. Long enough to see an event and kill the server meanwhile. */
const delays = { write: 100, sync: 500 }

/** Gives the wait for the next event of that type. */
const nextEvent = (url: string, key: string, type: string) =>
  Effect.promise(async () => {
    const headers = { authorization: `Key ${key}` }
    const { head } = (await (await fetch(`${url}/admin/v1/log`, { headers })).json()) as { head: string }
    const query = new URLSearchParams({ follow: "true", after: head, type })
    const { body } = await fetch(`${url}/admin/v1/log/events?${query.toString()}`, { headers })
    if (body === null) throw new Error("no body")
    const lines = Stream.fromReadableStream({ evaluate: () => body, onError: (cause) => cause }).pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.filter((line) => line !== ""),
      Stream.take(1)
    )
    return Effect.orDie(Stream.runDrain(lines))
  })

describe.skipIf(PreloadedLibrary.isMissing)(PreloadedLibrary.named("A killed server"), () => {
  it.live(
    "leaves a payment done or not done, its action without a result, and credits a repeated one once",
    () =>
      Effect.gen(function* () {
        const disk = yield* FaultyDisk.make
        const settings = { DATA_DIR: path.join(yield* TempDirectory.make, "data") }
        const wal = path.join(settings.DATA_DIR, "log.sqlite-wal")
        const opened = yield* Inferlog.json(
          Inferlog.Opened,
          ["accounts", "create", "--name", "acme", "--balance", "0"],
          settings
        )
        const owner = yield* Inferlog.json(
          Created,
          ["operators", "create", "--name", "ada", "--role", "owner"],
          settings
        )
        const payment = ["balance", "topup", "--account", opened.accountId, "--amount", "5"]
        const topUp = (paymentId: string) => [...payment, "--payment-id", paymentId]
        /** The payment is in the file, and its sync is under way. The record of the action has no reference. */
        const isWritten = (paymentId: string) =>
          Until.answers(async () => {
            if (!fs.readFileSync(wal).includes(`"paymentId":"${paymentId}","reference"`))
              throw new Error("not yet")
          })

        /** Kills the server once the action is on the log, at a moment of its effect. Returns the number of payments. */
        const killed = Effect.fnUntraced(function* (
          paymentId: string,
          on: "write" | "sync",
          isTime: Effect.Effect<void>
        ) {
          const server = yield* Inferlog.serve({ ...settings, ...disk.env })
          disk.set({ on, path: "/log.sqlite-wal$", delayMs: delays[on] })
          const elsewhere = { INFERLOG_ADMIN_URL: server.url, INFERLOG_OPERATOR_KEY: owner.key }
          const started = yield* nextEvent(server.url, owner.key, "OperatorActionStarted")
          const command = Inferlog.run(topUp(paymentId), elsewhere)
          const [, ended] = yield* Effect.all(
            [
              Effect.gen(function* () {
                yield* started
                yield* isTime
                yield* server.kill("SIGKILL")
              }),
              command
            ],
            { concurrency: "unbounded" }
          )
          disk.set()
          assert.strictEqual(ended.code, 1)
          assert.include(ended.stderr, `repeat the command with --payment-id ${paymentId}`)
          const stats = yield* Inferlog.json(Inferlog.Stats, ["log", "stats", "--types"], settings)
          return stats.types["BalanceToppedUp"] ?? 0
        })

        // Before the first write of the payment.
        const before = yield* killed("inv-1", "write", Effect.void)
        assert.strictEqual(before, 0)
        const repeated = yield* Inferlog.json(ToppedUp, topUp("inv-1"), settings)
        assert.deepInclude(repeated, { applied: true, balance: "5" })
        const after = yield* killed("inv-2", "sync", isWritten("inv-2"))
        assert.strictEqual(after, 2)
        assert.deepInclude(yield* Inferlog.json(ToppedUp, topUp("inv-2"), settings), {
          applied: false,
          balance: "10"
        })

        const { actions } = yield* Inferlog.json(Actions, ["operators", "actions"], settings)
        assert.deepStrictEqual(
          actions.filter(({ action }) => action === "topUp").map(({ result }) => result),
          ["done", null, "done", null]
        )
        const verified = yield* Inferlog.run(["audit"], settings)
        assert.include(verified.stdout, "The books are right")
      }).pipe(Effect.scoped)
  )
})
