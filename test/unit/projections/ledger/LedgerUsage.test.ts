/** Compares usage and the spending of keys with sums over random requests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { AccountId, KeyId } from "#domain/Ids.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import { NanoUsd, Quantity } from "#domain/Money.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import * as LedgerProjection from "#projections/ledger/LedgerProjection.ts"
import * as Queries from "#projections/ledger/LedgerQueries.ts"
import { ReadModels } from "#projections/ReadModels.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as MemoryEventStore from "#streams/MemoryEventStore.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import { applyAll, cut } from "#test/support/projections/batch/Batch.ts"
import { stepsOf } from "#test/support/projections/QueryPlan.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"

const { alice, bob, echo, slow } = Log
const hour = 3_600_000

/** The last moment of a month, a day and an hour. */
const turn = Date.UTC(2024, 1, 29, 23, 59, 59, 999)

interface Life {
  readonly accountId: AccountId
  readonly keyId: KeyId
  readonly model: typeof echo
  readonly unit: "request" | "image" | "second"
  readonly end: "charged" | "partial" | "failed" | "RequestFailed" | "RequestCancelled" | "none"
  readonly units: bigint
  readonly amount: bigint
  readonly at: number
}

const life: fc.Arbitrary<Life> = fc.record({
  accountId: fc.constantFrom(alice, bob),
  keyId: fc.constantFrom("key_a", "key_b").map((id) => KeyId.make(id)),
  model: fc.constantFrom(echo, slow),
  unit: fc.constantFrom("request", "image", "second"),
  end: fc.constantFrom(
    "charged",
    "charged",
    "partial",
    "failed",
    "RequestFailed",
    "RequestCancelled",
    "none"
  ),
  units: fc.bigInt({ min: 0n, max: 10n ** 15n }),
  // Exceeds a SQLite integer.
  amount: fc.bigInt({ min: 0n, max: 10n ** 19n }),
  at: fc.oneof(
    fc.constantFrom(turn, turn + 1),
    fc.integer({ min: turn - 3 * hour, max: turn + 3 * hour }),
    fc.integer({ min: turn - 1_000 * hour, max: turn + 1_000 * hour })
  )
})

const isCharged = ({ end }: Life): boolean => end === "charged" || end === "partial"

const endOf = ({ amount, at, end, units }: Life): Event | null => {
  switch (end) {
    case "none":
      return null
    case "RequestFailed":
      return { _tag: end, at, attempt: 1, reason: "refused", message: "no" }
    case "RequestCancelled":
      return { _tag: end, at, reason: "requested" }
    default:
      return {
        _tag: "RequestCompleted",
        at,
        attempt: 1,
        billing: {
          status: end,
          amount: NanoUsd.make(end === "failed" ? 0n : amount),
          units: Quantity.make(units)
        },
        error: null
      }
  }
}

/** Submits all requests, then ends them in the given order. */
const write = Effect.fnUntraced(function* (lives: ReadonlyArray<Life>) {
  for (const [number, { accountId, amount, keyId, model, unit }] of lives.entries()) {
    const { quote, ...rest } = Log.submitted(accountId, model)
    yield* Log.append(number, { ...rest, keyId, quote: { ...quote, unit, hold: NanoUsd.make(amount + 5n) } })
  }
  for (const [number, one] of lives.entries()) {
    const end = endOf(one)
    if (end !== null) yield* Log.append(number, end)
  }
})

const eventsOf = (lives: ReadonlyArray<Life>) =>
  Effect.gen(function* () {
    yield* write(lives)
    const reader = yield* EventReader
    return yield* Stream.runCollect(reader.readAll(GlobalPosition.beginning))
  }).pipe(Effect.provide(MemoryEventStore.layer))

/** Prefixes of ISO 8601 times, by which buckets begin: `2024-02-29T23`, `2024-02-29` and `2024-02`. */
const bucketOf = (granularity: string, at: number): number => {
  const text = new Date(at).toISOString()
  if (granularity === "month") return Date.parse(`${text.slice(0, 7)}-01T00:00:00Z`)
  return Date.parse(granularity === "day" ? `${text.slice(0, 10)}T00:00:00Z` : `${text.slice(0, 13)}:00:00Z`)
}

const sorted = (rows: Iterable<unknown>) => Array.from(rows, (row) => JSON.stringify(row)).sort()

const expectedUsage = (lives: ReadonlyArray<Life>) => {
  const rows = new Map<string, { requests: number; quantity: bigint; cost: bigint; of: object }>()
  for (const one of lives.filter(isCharged)) {
    for (const granularity of ["hour", "day", "month"]) {
      for (const key_id of [one.keyId, ""]) {
        const bucket = bucketOf(granularity, one.at)
        const { model, unit } = one
        const of = { account_id: one.accountId, key_id, granularity, bucket, model, unit }
        const row = rows.get(JSON.stringify(of)) ?? { requests: 0, quantity: 0n, cost: 0n, of }
        row.requests++
        row.quantity += one.units
        row.cost += one.amount
        rows.set(JSON.stringify(of), row)
      }
    }
  }
  return Array.from(rows.values(), ({ cost, of, quantity, requests }) => ({
    ...of,
    requests,
    quantity: String(quantity),
    cost: String(cost)
  }))
}

const expectedSpending = (lives: ReadonlyArray<Life>) => {
  const charged = lives.filter(isCharged)
  const keys = new Set(charged.map(({ accountId, keyId }) => JSON.stringify([accountId, keyId])))
  return Array.from(keys, (key) => {
    const own = charged.filter(({ accountId, keyId }) => JSON.stringify([accountId, keyId]) === key)
    const month = Math.max(...own.map(({ at }) => bucketOf("month", at)))
    const spent = own
      .filter(({ at }) => bucketOf("month", at) === month)
      .reduce((sum, { amount }) => sum + amount, 0n)
    const [account_id, key_id]: ReadonlyArray<unknown> = JSON.parse(key)
    return { account_id, key_id, month, spent: String(spent) }
  })
}

const rowsOf = (events: ReadonlyArray<RecordedEvent>, size: number) =>
  Effect.map(TempDirectory.make, (directory) => {
    const filename = `${directory}/projections.sqlite`
    assert.deepStrictEqual(applyAll(filename, [LedgerProjection.projection], cut(events, size)), [])
    return ReadSide.dump(filename)
  }).pipe(Effect.scoped)

describe("Usage", () => {
  it.effect("is the sum over charged requests, wherever the log is divided", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(fc.array(life, { maxLength: 30 }), fc.integer({ min: 1, max: 20 }), (lives, size) =>
          Effect.gen(function* () {
            const events = yield* eventsOf(lives)
            const whole = yield* rowsOf(events, Math.max(events.length, 1))
            assert.deepStrictEqual(sorted(whole["ledger_usage"] ?? []), sorted(expectedUsage(lives)))
            assert.deepStrictEqual(sorted(whole["ledger_spending"] ?? []), sorted(expectedSpending(lives)))
            assert.deepStrictEqual(yield* rowsOf(events, size), whole)
          }).pipe(Effect.runPromise)
        ),
        { numRuns: 15 }
      )
    )
  )

  const charged = (at: number, rest: Partial<Life> = {}): Life => ({
    accountId: alice,
    keyId: KeyId.make("key_a"),
    model: echo,
    unit: "request",
    end: "charged",
    units: 1_000_000n,
    amount: 7n,
    at,
    ...rest
  })

  it.effect("is counted once if a batch was rolled back and applied again", () =>
    Effect.gen(function* () {
      const lives = [charged(turn), charged(turn + 1)]
      const events = yield* eventsOf(lives)
      // A request submitted while it is open rolls the batch back; the events before it are applied again.
      const twice = events.slice(0, 1)
      const rows = yield* Effect.map(TempDirectory.make, (directory) => {
        const filename = `${directory}/projections.sqlite`
        const failures = applyAll(filename, [LedgerProjection.projection], [[...events, ...twice, ...twice]])
        assert.lengthOf(failures, 1)
        return ReadSide.dump(filename)
      }).pipe(Effect.scoped)
      assert.deepStrictEqual(sorted(rows["ledger_usage"] ?? []), sorted(expectedUsage(lives)))
      assert.deepStrictEqual(sorted(rows["ledger_spending"] ?? []), sorted(expectedSpending(lives)))
    })
  )

  it.live("is read by time, model and key, in the order of buckets and models", () =>
    Effect.gen(function* () {
      const day = Date.UTC(2024, 2, 1)
      yield* write([
        charged(day + hour),
        charged(day - 1),
        charged(day, { model: slow, unit: "second" }),
        charged(day, { keyId: KeyId.make("key_b"), amount: 30n }),
        charged(day, { accountId: bob }),
        charged(day + 24 * hour)
      ])
      yield* ReadSide.settle("ledger")
      const ledger = yield* Ledger
      const read = Effect.fnUntraced(function* (filter: Partial<Queries.UsageFilter>, limit = 100) {
        const time = { granularity: "day", start: day, end: day + 24 * hour } as const
        const rows = yield* ledger.usage({ accountId: alice, ...time, ...filter, limit })
        return rows.map(({ bucket, cost, model, requests, unit }) => [bucket, model, unit, requests, cost])
      })
      const all = [
        [day, echo, "request", 2, 37n],
        [day, slow, "second", 1, 7n]
      ]
      assert.deepStrictEqual(yield* read({}), all)
      assert.deepStrictEqual(yield* read({}, 1), all.slice(0, 1))
      assert.deepStrictEqual(yield* read({ model: slow }), all.slice(1))
      assert.deepStrictEqual(yield* read({ keyId: KeyId.make("key_b") }), [[day, echo, "request", 1, 30n]])
      assert.deepStrictEqual(yield* read({ keyId: KeyId.make("key_b"), model: slow }), [])
      assert.deepStrictEqual(yield* read({ accountId: bob }), [[day, echo, "request", 1, 7n]])
      assert.deepStrictEqual(yield* read({ granularity: "hour", end: day + hour }), [
        [day, echo, "request", 1, 30n],
        [day, slow, "second", 1, 7n]
      ])
      assert.deepStrictEqual(yield* read({ granularity: "month", start: Date.UTC(2024, 1) }), [
        [Date.UTC(2024, 1), echo, "request", 1, 7n],
        [day, echo, "request", 3, 44n],
        [day, slow, "second", 1, 7n]
      ])
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("has a row for each key when asked by key, each from one range of the table", () =>
    Effect.gen(function* () {
      const at = Date.UTC(2024, 5, 1)
      const [first, second] = [KeyId.make("key_first"), KeyId.make("key_second")]
      const carol = AccountId.make("acc_carol")
      yield* write([
        charged(at, { accountId: carol, keyId: second, amount: 30n }),
        charged(at, { accountId: carol, keyId: first, amount: 5n }),
        charged(at + hour, { accountId: carol, keyId: first, amount: 6n }),
        charged(at + 24 * hour, { accountId: carol, keyId: first, model: slow, unit: "second", amount: 7n })
      ])
      yield* ReadSide.settle("ledger")
      const time = { granularity: "day", start: at, end: at + 48 * hour } as const
      const asked = { accountId: carol, ...time, byKey: true }
      const read = Effect.fnUntraced(function* (filter: Partial<Queries.UsageFilter>) {
        const rows = yield* (yield* Ledger).usage({ ...asked, ...filter, limit: 100 })
        return rows.map(({ bucket, cost, keyId, model }) => [
          (bucket - at) / hour,
          keyId,
          model,
          Number(cost)
        ])
      })
      assert.deepStrictEqual(yield* read({}), [
        [0, first, echo, 11],
        [0, second, echo, 30],
        [24, first, slow, 7]
      ])
      assert.deepStrictEqual(yield* read({ model: slow }), [[24, first, slow, 7]])
      assert.deepStrictEqual(yield* read({ keyId: second }), [[0, second, echo, 30]])
      assert.deepStrictEqual(yield* read({ byKey: false, model: slow }), [[24, null, slow, 7]])
      const steps = (yield* stepsOf(Queries.usage(yield* ReadModels, asked, 100))).join("\n")
      assert.include(steps, "account_id=? AND key_id=? AND granularity=? AND bucket>? AND bucket<?")
    }).pipe(Effect.provide(ReadSide.layer))
  )

  it.live("is stored contiguously, in reading order", () =>
    Effect.gen(function* () {
      yield* ReadSide.settle("ledger")
      const sql = yield* ReadModels
      for (const filter of [{}, { model: echo }, { keyId: KeyId.make("key_a") }]) {
        const asked = { accountId: alice, granularity: "hour", start: 0, end: turn, ...filter } as const
        const steps = (yield* stepsOf(Queries.usage(sql, asked, 100))).join("\n")
        const range = "account_id=? AND key_id=? AND granularity=? AND bucket>? AND bucket<?"
        assert.include(steps, range)
        assert.notInclude(steps, "TEMP B-TREE")
      }
    }).pipe(Effect.provide(ReadSide.layer))
  )
})
