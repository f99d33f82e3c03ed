/** Complete nodes with a balance: every accepted request is paid for. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Latch, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { Ledger } from "#projections/ledger/Ledger.ts"
import { Projections } from "#projections/Projections.ts"
import * as Auditor from "#src/features/billing/audit/Auditor.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { TestAccounts, usd } from "#test/support/TestAccounts.ts"
import { single } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import {
  accepted,
  account,
  accountId,
  append,
  cancelled,
  funds,
  keyed,
  lagging,
  limit,
  options,
  long,
  price,
  errorAnswer,
  submit,
  topUp,
  withBalance,
  withBlobs,
  withLag
} from "#test/support/src/features/billing/FundsNode.ts"

describe("A balance", () => {
  it.effect("for ten requests accepts ten of a thousand concurrent ones", () =>
    withBalance(
      "0.01",
      Effect.gen(function* () {
        const exits = yield* Effect.all(
          Array.from({ length: 1_000 }, () => Effect.exit(submit())),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 10)
        assert.strictEqual(yield* accepted, 10)
        const error = yield* Effect.flip(submit())
        assert.deepInclude(error, { _tag: "InsufficientBalance", required: usd(price), available: usd("0") })
        assert.deepStrictEqual(yield* funds, { available: "0", held: "0.01", open: 10 })
      })
    )
  )

  it.effect("pays only for recorded requests, whenever clients disconnect", () => {
    const turns = (count: number) => Effect.repeat(Effect.yieldNow, { times: count })
    const leaving = (patience: number) =>
      Effect.gen(function* () {
        const input = patience % 2 === 0 ? { value: "in" } : long
        const fiber = yield* Effect.forkChild(submit({ input }))
        yield* turns(patience)
        yield* Fiber.interrupt(fiber)
      })
    return withBlobs(
      { balance: "0.05", before: () => turns(3) },
      Effect.gen(function* () {
        for (let patience = 0; patience < 40; patience++) yield* leaving(patience)
        const stored = yield* accepted
        assert.isAbove(stored, 0)
        assert.strictEqual((yield* funds).open, stored)
        yield* Effect.exit(Effect.replicateEffect(submit(), 50))
        assert.strictEqual(yield* accepted, 50)
        assert.deepStrictEqual(yield* funds, { available: "0", held: "0.05", open: 50 })
      })
    )
  })

  it.effect("is held once for fifty twins under a key, which all get the answer", () =>
    withBalance(
      price,
      Effect.gen(function* () {
        const twins = Array.from({ length: 50 }, () => submit(keyed("k")))
        const answers = yield* Effect.all(twins, { concurrency: "unbounded" })
        assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 1)
        assert.deepStrictEqual(yield* funds, { available: "0", held: price, open: 1 })
        assert.isTrue((yield* submit(keyed("k"))).replayed)
        assert.strictEqual(yield* errorAnswer(keyed("K")), "InsufficientBalance")
      })
    )
  )

  it.effect("is held once for a twin that arrives while the first one is being stored", () =>
    Effect.gen(function* () {
      const stored = yield* Latch.make(false)
      yield* withBlobs(
        { before: () => stored.await },
        Effect.gen(function* () {
          const first = yield* Effect.forkChild(submit({ ...keyed("k"), input: long }))
          yield* Effect.repeat(funds, { until: ({ held }) => held === price })
          const second = yield* Effect.forkChild(submit({ ...keyed("k"), input: long }))
          yield* Effect.repeat(Effect.yieldNow, { times: 50 })
          yield* stored.open
          const answers = [yield* Fiber.join(first), yield* Fiber.join(second)]
          assert.deepStrictEqual(
            answers.map(({ replayed }) => replayed),
            [false, true]
          )
          assert.deepStrictEqual(yield* funds, { available: "0", held: price, open: 1 })
        })
      )
    })
  )

  it.effect("that was too small does not use up the idempotency key", () =>
    withBalance(
      "0",
      Effect.gen(function* () {
        assert.strictEqual(yield* errorAnswer(keyed("k")), "InsufficientBalance")
        yield* topUp(price)
        assert.isFalse((yield* submit(keyed("k"))).replayed)
      })
    )
  )

  it.effect("that was too small records nothing, under any keys", () =>
    withBalance(
      "0",
      Effect.gen(function* () {
        const { head } = yield* EventReader
        const before = yield* head
        for (let number = 0; number < 10; number++) {
          assert.strictEqual(yield* errorAnswer(keyed(`k${number}`)), "InsufficientBalance")
        }
        assert.strictEqual(yield* head, before)
      })
    )
  )

  it.effect("is spendable as soon as a top-up or an end has returned", () =>
    withBalance(
      "0",
      Effect.gen(function* () {
        for (let round = 0; round < 50; round++) {
          assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
          yield* topUp(price)
          const { id } = yield* submit()
          assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
          const requests = yield* Requests
          yield* requests.cancel({ caller: Facts.caller(account), id, endpoint: single.model.endpoint })
          yield* submit()
        }
      })
    )
  )
})

describe("Limits", () => {
  it.effect("allow an account to go below zero by its credit, and no further", () =>
    withBalance(
      price,
      Effect.gen(function* () {
        yield* limit("0.002", null)
        yield* Effect.replicateEffect(submit(), 3)
        const error = yield* Effect.flip(submit())
        assert.deepInclude(error, { _tag: "InsufficientBalance", available: usd("-0.002") })
      })
    )
  )

  it.effect("limit the open requests of an account, with a hundred at once", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        yield* limit("0", 7)
        const exits = yield* Effect.all(
          Array.from({ length: 100 }, () => Effect.exit(submit())),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(exits.filter(Exit.isSuccess), 7)
        assert.strictEqual(yield* errorAnswer(), "TooManyOpenRequests")
        yield* limit("0", null)
        yield* submit()
      })
    )
  )

  it.effect("that are lowered apply once the node has read them, and the audit shows it", () =>
    withLag("0", (gate) =>
      Effect.gen(function* () {
        yield* limit("1", null)
        yield* submit()
        yield* gate.close
        yield* limit("0", null)
        yield* submit()
        yield* gate.open
        assert.deepStrictEqual(yield* funds, { available: "-0.002", held: "0.002", open: 2 })
        assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
        const auditor = Auditor.make({ opened: () => {}, booked: () => {} })
        const { readAll } = yield* EventReader
        yield* Stream.runForEach(readAll(GlobalPosition.beginning), (event) =>
          Effect.sync(() => auditor.pass(event))
        )
        const { overdraft } = auditor.state.accounts.get(accountId) ?? assert.fail()
        assert.deepInclude(overdraft, { requests: 1, worst: usd("0.002") })
      })
    )
  )
})

describe("The funds of a start", () => {
  it.effect("equal those of the log, at any position of the ledger", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const projections = yield* Projections
        const { head } = yield* EventReader
        yield* limit("0.001", 9)
        const [first, second] = yield* Effect.replicateEffect(submit(), 5)
        yield* append(first?.id ?? assert.fail(), cancelled)
        const caughtUp = yield* projections.waitFor(yield* head, { projection: "ledger" })
        assert.isTrue(caughtUp)
        const { position } = yield* (yield* Ledger).state
        assert.strictEqual(position, yield* head)
        const restarted = Effect.scoped(
          Effect.map(Layer.build(Layer.fresh(Funds.layer)), (context) =>
            Context.get(context, Funds).of(accountId)
          )
        )
        const expected = {
          available: usd("0.996"),
          held: usd("0.004"),
          open: 4,
          limits: { creditLimit: usd("0.001"), maxOpenRequests: 9 }
        }
        assert.deepStrictEqual(yield* restarted, expected)
        yield* append(second?.id ?? assert.fail(), cancelled)
        assert.deepStrictEqual(yield* restarted, {
          ...expected,
          available: usd("0.997"),
          held: usd("0.003"),
          open: 3
        })
      })
    )
  )
})

describe("The funds of a start with waiting requests", () => {
  it.effect("release the hold of one that ends, and are not level with the log before that", () =>
    withBalance(
      "0.002",
      Effect.gen(function* () {
        const projections = yield* Projections
        const reader = yield* EventReader
        const many = reader.many ?? assert.fail()
        const [first] = yield* Effect.replicateEffect(submit(), 2)
        assert.isTrue(yield* projections.waitFor(yield* reader.head, { projection: "ledger" }))
        const gate = yield* Latch.make(false)
        const gated = EventReader.of({
          ...reader,
          many: { ...many, read: (streams) => Effect.andThen(gate.await, many.read(streams)) }
        })
        const context = yield* Layer.build(Layer.fresh(Funds.layer)).pipe(
          Effect.provideService(EventReader, gated)
        )
        const restarted = Context.get(context, Funds)
        yield* append(first?.id ?? assert.fail(), cancelled)
        const waiting = yield* Effect.forkChild(restarted.caughtUp)
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        assert.isUndefined(waiting.pollUnsafe())
        assert.deepInclude(restarted.of(accountId), { available: usd("0"), held: usd("0.002"), open: 2 })
        yield* gate.open
        yield* Fiber.join(waiting)
        assert.deepInclude(restarted.of(accountId), { available: usd("0.001"), held: usd("0.001"), open: 1 })
      }).pipe(Effect.scoped)
    )
  )
})

describe("Funds whose log fails", () => {
  it.effect("go on after the last event that they have counted", () =>
    withBalance(
      "0.01",
      Effect.gen(function* () {
        const reader = yield* EventReader
        const begunAfter: Array<GlobalPosition.GlobalPosition> = []
        let isFailing = false
        const failing = EventReader.of({
          ...reader,
          follow: (after, onEvents) => {
            begunAfter.push(after)
            return reader.follow(after, (events) => {
              const counting = onEvents(events) ?? Effect.void
              return isFailing ? Effect.andThen(counting, Effect.die("the log is gone")) : counting
            })
          }
        })
        const context = yield* Layer.build(Layer.fresh(Funds.layer)).pipe(
          Effect.provideService(EventReader, failing)
        )
        const restarted = Context.get(context, Funds)
        isFailing = true
        yield* submit()
        yield* restarted.caughtUp
        const counted = yield* reader.head
        isFailing = false
        yield* submit()
        const caughtUp = yield* Effect.forkChild(restarted.caughtUp)
        yield* TestClock.adjust("1 second")
        yield* Fiber.join(caughtUp)
        assert.deepInclude(restarted.of(accountId), { available: usd("0.008"), held: usd("0.002"), open: 2 })
        assert.strictEqual(begunAfter.at(-1), counted)
      }).pipe(Effect.scoped)
    )
  )
})

describe("Another node", () => {
  it.effect("has the same funds after its start on the log", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(account, "0.01")
      const first = yield* TestNode.start({ ...options, name: "first" })
      const ids = yield* first.on(Effect.replicateEffect(submit(), 5))
      yield* first.on(limit("0.001", 9))
      yield* first.on(append(ids[0]?.id ?? assert.fail(), cancelled))
      yield* first.on(Lifecycle.start(ids[1]?.id ?? assert.fail()))
      yield* first.on(Lifecycle.deliver(ids[1]?.id ?? assert.fail(), { value: "out" }))
      const before = yield* first.on(funds)
      assert.deepStrictEqual(before, { available: "0.006", held: "0.003", open: 3 })
      yield* first.stop
      const second = yield* TestNode.start({ ...options, name: "second" })
      const seen = yield* second.on(Effect.map(Funds, (funds) => funds.of(accountId)))
      assert.deepStrictEqual(seen, {
        available: usd("0.006"),
        held: usd("0.003"),
        open: 3,
        limits: { creditLimit: usd("0.001"), maxOpenRequests: 9 }
      })
      yield* second.on(Effect.replicateEffect(submit(), 6))
      assert.strictEqual(yield* second.on(errorAnswer()), "TooManyOpenRequests")
      // It has not seen these submits itself.
      yield* second.on(Lifecycle.start(ids[2]?.id ?? assert.fail()))
      yield* second.on(Lifecycle.deliver(ids[2]?.id ?? assert.fail(), { value: "out" }))
      yield* second.on(append(ids[3]?.id ?? assert.fail(), cancelled))
      assert.deepStrictEqual(yield* second.on(funds), { available: "0.001", held: "0.007", open: 7 })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("sees the requests that this one has accepted", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(account, "0.002")
      const one = yield* TestNode.start({ ...options, name: "one" })
      const two = yield* TestNode.start({ ...options, name: "two" })
      yield* one.on(submit())
      yield* two.on(submit())
      for (const node of [one, two]) {
        assert.deepStrictEqual(yield* node.on(funds), { available: "0", held: "0.002", open: 2 })
        assert.strictEqual(yield* node.on(errorAnswer()), "InsufficientBalance")
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("A node without the accounts' funds", () => {
  it.effect("starts, rejects requests, and accepts them once it has read the funds", () =>
    Effect.gen(function* () {
      yield* (yield* TestAccounts).open(account, price)
      const gate = yield* Latch.make(false)
      const starting = TestNode.start({ ...options, name: "node" })
      const started = yield* Effect.forkChild(
        Effect.provideService(starting, EventReader, yield* lagging(gate))
      )
      const afterPatience = <A, E, R>(waiting: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(waiting)
          return yield* Effect.raceFirst(
            Fiber.join(fiber),
            Effect.forever(Effect.andThen(TestClock.adjust("1 second"), Effect.yieldNow))
          )
        })
      const node = yield* afterPatience(Fiber.join(started))
      yield* node.on(
        Effect.gen(function* () {
          assert.strictEqual(yield* afterPatience(errorAnswer()), "ReadModelBehind")
          assert.strictEqual(yield* afterPatience(errorAnswer(keyed("k"))), "ReadModelBehind")
          yield* gate.open
          yield* submit(keyed("k"))
          assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
          assert.deepStrictEqual(yield* funds, { available: "0", held: price, open: 1 })
        })
      )
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
