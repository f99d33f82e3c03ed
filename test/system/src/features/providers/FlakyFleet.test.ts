/**
 * Many jobs through providers that fail, reset connections, refuse, put off, answer late and lose jobs at random. All of them
 * end, each is charged once and only where a good output was given, and what the accounts have left says the same.
 * `FLEET_JOBS` sets how many, `FLEET_SEED` repeats what the providers did as far as the order of the calls does.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Stream } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { AccountId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { plenty, usd } from "#test/support/TestAccounts.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as FlakyWorkers from "#test/support/src/features/providers/FlakyWorkers.ts"

const jobs = Number(process.env["FLEET_JOBS"] ?? "2000")
const seed = Number(process.env["FLEET_SEED"] ?? Math.floor(Math.random() * 2 ** 32))

const accounts = ["acc_a", "acc_b", "acc_c", "acc_d", "acc_e"]

/** Each model has its own order of workers; they share the workers' limits. */
const modelsOn = (urls: ReadonlyArray<string>) => {
  const binding = (worker: number, concurrency?: number): ProviderBinding => ({
    name: `worker-${worker}`,
    adapter: "http",
    url: urls[worker] ?? "",
    ...(concurrency === undefined ? {} : { concurrency })
  })
  const model = (name: string, first: ProviderBinding, ...others: ReadonlyArray<ProviderBinding>) => {
    const made = testModel(`test/${name}`, {
      concurrency: 40,
      retry: { retries: 30, initialDelayMs: 5 },
      timeoutSeconds: 20
    })
    return { ...made, model: { ...made.model, providers: [first, ...others] as const } }
  }
  return [
    model("pair", binding(0), binding(1)),
    model("trio", binding(1), binding(2), binding(0)),
    model("alone", binding(2, 30)),
    model("spilling", binding(3, 5), binding(0))
  ]
}

const ends: ReadonlySet<string> = new Set([
  "RequestCompleted",
  "RequestFailed",
  "RequestForceFailed",
  "RequestCancelled"
])

const { category, codec } = InferenceRequest.aggregate

/** All events of the requests, until this many have ended. */
const untilEnded = Effect.fnUntraced(function* (count: number) {
  const reader = yield* EventReader
  const found: Array<RecordedEvent> = []
  let ended = 0
  yield* reader.subscribe(GlobalPosition.beginning).pipe(
    Stream.filter(({ stream }) => StreamName.categoryOf(stream) === category),
    Stream.takeUntil((event) => {
      found.push(event)
      if (ends.has(event.type)) ended++
      return ended === count
    }),
    Stream.runDrain
  )
  return found
})

const play = Effect.gen(function* () {
  const chance = FlakyWorkers.random(seed)
  const workers = yield* Effect.replicateEffect(FlakyWorkers.make(chance), 4)
  const http = yield* HttpProvider.make
  const models = modelsOn(workers.map(({ url }) => url))
  const node = TestNode.layer({
    models,
    providers: () => [http],
    projections: [DueWorkProjection.projection]
  })

  const drive = Effect.gen(function* () {
    yield* Effect.forEach(
      Array.from({ length: jobs }, (_, index) => index),
      (index) => {
        // After a third has arrived, one worker is down for a while.
        if (index === Math.floor(jobs / 3)) workers[0]?.goDown(60)
        const model = models[index % models.length] ?? assert.fail("there are models")
        return Facts.submit({ model, account: accounts[index % accounts.length] ?? "" })
      },
      { concurrency: 16, discard: true }
    )
    const events = yield* untilEnded(jobs)
    const head = yield* (yield* EventReader).head
    yield* (yield* Projections).waitFor(head, { projection: LedgerProjection.projection.name })
    const ledger = yield* Ledger
    const balances = yield* ledger.balances({ accountIds: accounts.map((id) => AccountId.make(id)) })
    return { events, balances }
  })
  const { balances, events } = yield* Effect.provide(drive, node)
  return { balances, events, workers }
})

describe("A fleet of flaky providers", () => {
  it.live(
    `ends all jobs, each with the right charge (FLEET_SEED=${seed})`,
    () =>
      Effect.gen(function* () {
        const begunAt = yield* Clock.currentTimeMillis
        const { balances, events, workers } = yield* play
        const requests = Map.groupBy(events, ({ stream }) => StreamName.idOf(stream))
        assert.strictEqual(requests.size, jobs)
        const charged = new Map<string, bigint>()
        const outcomes = new Map<string, number>()
        for (const [id, recorded] of requests) {
          const all = recorded.map(codec.decode)
          assert.lengthOf(Facts.terminal(all), 1, id)
          const [submitted] = Facts.ofType(all, "RequestSubmitted")
          const [completed] = Facts.ofType(all, "RequestCompleted")
          const isGood =
            Facts.ofType(all, "OutputReceived").length === 1 &&
            Facts.ofType(all, "OutputRejected").length === 0
          const amount = completed?.billing.amount ?? 0n
          assert.strictEqual(amount, isGood ? usd("0.001") : 0n, id)
          // The charge matches what a worker has delivered.
          if (isGood) assert.isTrue(workers.some(({ served }) => served.has(id)))
          const account = submitted?.accountId ?? ""
          charged.set(account, (charged.get(account) ?? 0n) + amount)
          const outcome = completed?.billing.status ?? Facts.terminal(all)[0]?._tag ?? ""
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
        }
        for (const { accountId, balance, reserved } of balances) {
          assert.strictEqual(balance, usd(plenty) - (charged.get(accountId) ?? 0n), accountId)
          assert.strictEqual(reserved, 0n)
        }
        // Most succeed, and every fault has occurred.
        assert.isAbove(outcomes.get("charged") ?? 0, jobs * 0.8)
        assert.isAbove(outcomes.get("failed") ?? 0, 0)
        const wrong = new Set(workers.flatMap(({ went }) => [...went.keys()]))
        assert.strictEqual(wrong.size, FlakyWorkers.ways)
        if (process.env["FLEET_JOBS"] !== undefined) {
          const seconds = ((yield* Clock.currentTimeMillis) - begunAt) / 1_000
          yield* Effect.logInfo(`${jobs} jobs in ${seconds} s`, Object.fromEntries(outcomes))
        }
      }).pipe(Effect.provide(Surroundings.layer({}))),
    // Takes longer on a busy machine.
    60_000 + 30 * jobs
  )
})
