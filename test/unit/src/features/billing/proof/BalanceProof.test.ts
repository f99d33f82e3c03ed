import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import type { Event } from "#domain/inference-request/Event.ts"
import { AccountId } from "#domain/Ids.ts"
import { NanoUsd, units } from "#domain/Money.ts"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { BalanceProof } from "#src/features/billing/proof/BalanceProof.ts"
import * as ProvenBalance from "#src/features/billing/proof/ProvenBalance.ts"
import * as EventChain from "#streams/EventChain.ts"
import { EventReader } from "#streams/EventReader.ts"
import { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AccountLog from "#test/support/projections/ledger/AccountLog.ts"
import * as ReadSide from "#test/support/projections/ReadSide.ts"
import * as Log from "#test/support/projections/RequestLog.ts"
import { usd } from "#test/support/TestAccounts.ts"

const { alice, bob, echo, t0 } = Log

const layer = BalanceProof.layer.pipe(Layer.provideMerge(ReadSide.layer))

const test = (name: string, body: Effect.Effect<void, unknown, Layer.Success<typeof layer>>) =>
  it.live(name, () => Effect.provide(body, layer))

const charged = (amount: string, at: number): Event => ({
  _tag: "RequestCompleted",
  at,
  attempt: 1,
  billing: { status: "charged", amount: usd(amount), units: units(1) },
  error: null
})

const cancelled = (at: number): Event => ({ _tag: "RequestCancelled", at, reason: "requested" })

/** More entries than are read at once, of two accounts, with one request that stays open. */
const lives = Effect.gen(function* () {
  yield* AccountLog.topUp(alice, "5", t0)
  yield* AccountLog.topUp(bob, "7", t0)
  for (let number = 0; number < 120; number++) {
    const account = number % 2 === 0 ? alice : bob
    yield* Log.append(number, Log.submitted(account, echo, t0 + number))
    const end = number % 3 === 0 ? cancelled(t0 + number) : charged("0.0004", t0 + number)
    yield* Log.append(number, Log.dispatched(1), Log.started(1), end)
  }
  yield* AccountLog.limit(alice, "3", null)
  yield* AccountLog.topUp(alice, "1", t0 + 200)
  yield* Log.append(500, Log.submitted(alice, echo, t0 + 300))
})

const prove = (accountId: AccountId, until: number | null = null) =>
  Effect.gen(function* () {
    const proven = yield* (yield* BalanceProof).prove({ accountId, until })
    const events = yield* Stream.runCollect(proven.events)
    return { entries: proven.entries, events, balance: proven.balance() }
  })

/** The hashes of the events as a reader of the proof alone computes them. */
const hashesOf = (events: ReadonlyArray<ProvenBalance.ProvenEvent>): ReadonlyArray<string> => {
  const tails = new Map<string, string>()
  return events.map(({ before, event }) => {
    const hash = [...before, event].reduce(EventChain.hash, tails.get(event.stream) ?? EventChain.origin)
    tails.set(event.stream, hash)
    return hash
  })
}

/** The proof of one request: its entries in the read model, and its stream. */
const oneRequest = Effect.gen(function* () {
  yield* AccountLog.topUp(alice, "5")
  yield* Log.append(1, Log.submitted(alice, echo), Log.dispatched(1), Log.started(1), charged("0.0004", t0))
  yield* ReadSide.settle("ledger")
  const [topUp, ...rows] = yield* (yield* Ledger).walk({ accountId: alice, after: 0, limit: 10 })
  if (topUp === undefined) return yield* Effect.die("no entry")
  const reader = yield* EventReader
  const payments = yield* reader.read(StreamName.make("Account", alice))
  const stream = yield* reader.read(StreamName.make("InferenceRequest", Log.requestId(1)))
  /** A proof that has passed the payment. */
  const begun = () => {
    const proven = ProvenBalance.make(alice)
    proven.pass(topUp, payments)
    return proven
  }
  return { begun, rows, stream }
})

const failureOf = (check: () => unknown): unknown => {
  try {
    return check()
  } catch (error) {
    return error
  }
}

describe("The proof of a balance", () => {
  test(
    "has each event that moved money, and ends with the account's balance",
    Effect.gen(function* () {
      yield* lives
      const { balance, entries, events } = yield* prove(alice)
      const account = yield* (yield* Ledger).balance(alice)
      assert.deepStrictEqual(balance, {
        available: NanoUsd.make(account.balance - account.reserved),
        held: account.reserved
      })
      assert.strictEqual(account.reserved, usd("0.001"))
      // Two payments, sixty requests that ended, and one that did not.
      assert.lengthOf(events, 2 + 2 * 60 + 1)
      assert.strictEqual(entries, events.flatMap((event) => event.entries).length)
      assert.deepStrictEqual(events[0]?.available, usd("5"))
      assert.deepStrictEqual(
        hashesOf(events),
        events.map(({ event }) => event.hash)
      )
      const paid = events.findLast(({ event }) => event.type === "BalanceToppedUp")
      assert.deepStrictEqual(
        paid?.before.map(({ type }) => type),
        ["LimitsChanged"]
      )
    })
  )

  test(
    "ends before the first event after a time",
    Effect.gen(function* () {
      yield* lives
      const { balance, events } = yield* prove(bob, t0 + 1)
      assert.deepStrictEqual(
        events.map(({ event }) => event.type),
        ["BalanceToppedUp", "RequestSubmitted", "RequestCompleted"]
      )
      assert.deepStrictEqual(balance, { available: usd("6.9996"), held: usd("0") })
      assert.lengthOf((yield* prove(bob, t0 - 1)).events, 0)
    })
  )

  test(
    "is refused for an account that is not on the log",
    Effect.gen(function* () {
      const error = yield* Effect.flip(prove(AccountId.make("acc_nobody")))
      assert.strictEqual(error._tag, "AccountNotFound")
    })
  )

  test(
    "fails at an event that is not what was written",
    Effect.gen(function* () {
      const { begun, rows, stream } = yield* oneRequest
      const [hold] = rows
      if (hold === undefined) return assert.fail("no entry")
      const cheaper = stream.map((event) =>
        event.ordinal === 0
          ? new RecordedEvent({ ...event, text: event.text.replace('"1000000"', '"1"') })
          : event
      )
      assert.strictEqual(begun().pass(hold, stream)?.event.type, "RequestSubmitted")
      assert.deepInclude(
        failureOf(() => begun().pass(hold, cheaper)),
        { _tag: "AuditFailed", invariant: "chain", position: hold.position }
      )
    })
  )

  test(
    "fails at an entry of the read model that the log does not have",
    Effect.gen(function* () {
      const { begun, rows, stream } = yield* oneRequest
      const [hold, charge] = rows
      if (hold === undefined || charge === undefined) return assert.fail("no entries")
      for (const wrong of [
        { ...hold, amount: usd("0.002") },
        { ...hold, balanceAfter: usd("4") },
        { ...hold, position: charge.position },
        { ...hold, ordinal: 1 }
      ]) {
        assert.deepInclude(
          failureOf(() => begun().pass(wrong, stream)),
          { _tag: "AuditFailed", invariant: "read model" }
        )
      }
      assert.deepInclude(
        failureOf(() => ProvenBalance.make(bob).pass(hold, stream)),
        { _tag: "AuditFailed", invariant: "read model", position: hold.position }
      )
    })
  )
})
