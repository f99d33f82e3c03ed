/** A server that is killed between the record of an action and its effect: nothing is done twice, and nothing hidden. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as FaultyDisk from "#bench/harness/disk/FaultyDisk.ts"
import * as PreloadedLibrary from "#bench/harness/disk/PreloadedLibrary.ts"
import * as Inferlog from "#test/support/src/cli/Inferlog.ts"
import * as Until from "#test/support/Until.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"

const Created = Schema.Struct({ operatorId: Schema.String, key: Schema.String })
const Actions = Schema.Struct({
  actions: Schema.Array(Schema.Struct({ action: Schema.String, result: Schema.NullOr(Schema.String) }))
})
const ToppedUp = Schema.Struct({ applied: Schema.optionalKey(Schema.Boolean), balance: Schema.String })

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
        /** The payment is in the file, and its sync is under way. The record of the action has no reference. */
        const isWritten = (paymentId: string) =>
          Until.answers(async () => {
            if (!fs.readFileSync(wal).includes(`"paymentId":"${paymentId}","reference"`))
              throw new Error("not yet")
          }, Until.processes)

        const serve = Inferlog.serve({ ...settings, ...disk.env, BOOTSTRAP_API_KEY: "first:secret" })
        const topUp = (paymentId: string) => ["balance", "topup", "--amount", "5", "--payment-id", paymentId]

        /** Kills the server once the action is on the log, at a moment of its effect. Returns the payments on the log. */
        const killed = Effect.fnUntraced(function* (
          { kill, url }: Inferlog.RunningServer,
          key: string,
          paymentId: string,
          on: "write" | "sync",
          isTime: Effect.Effect<void>
        ) {
          const elsewhere = { INFERLOG_ADMIN_URL: url, INFERLOG_OPERATOR_KEY: key }
          const started = yield* nextEvent(url, key, "OperatorActionStarted")
          disk.set({ on, path: "/log.sqlite-wal$", delayMs: delays[on] })
          const killing = started.pipe(Effect.andThen(isTime), Effect.andThen(kill("SIGKILL")))
          const [ended] = yield* Effect.all([Inferlog.run(topUp(paymentId), elsewhere), killing], {
            concurrency: "unbounded"
          })
          disk.set()
          assert.strictEqual(ended.code, 1)
          assert.include(ended.stderr, `repeat the command with --payment-id ${paymentId}`)
          const exported = yield* Inferlog.run(["log", "export", "--type", "BalanceToppedUp"], settings)
          return exported.stdout.split("\n").filter((line) => line.includes(`"paymentId":"${paymentId}"`))
            .length
        })

        const first = yield* serve
        const create = ["operators", "create", "--name", "ada", "--role", "owner"]
        const { key } = yield* Inferlog.json(Created, create, settings)
        // Before the first write of the payment.
        assert.strictEqual(yield* killed(first, key, "inv-1", "write", Effect.void), 0)

        const second = yield* serve
        const before = yield* Inferlog.json(ToppedUp, ["balance", "show"], settings)
        const repeated = yield* Inferlog.json(ToppedUp, topUp("inv-1"), settings)
        assert.deepInclude(repeated, { applied: true, balance: String(Number(before.balance) + 5) })
        assert.strictEqual(yield* killed(second, key, "inv-2", "sync", isWritten("inv-2")), 1)
        assert.deepInclude(yield* Inferlog.json(ToppedUp, topUp("inv-2"), settings), {
          applied: false,
          balance: String(Number(before.balance) + 10)
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
