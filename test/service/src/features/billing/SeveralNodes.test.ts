/**
 * Money on several nodes over one log: strict within each node, and between nodes as far as they have followed each
 * other.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import * as Money from "#domain/Money.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import {
  accepted,
  account,
  cancelled,
  append,
  funds,
  keyed,
  lagging,
  limit,
  long,
  options,
  price,
  submit
} from "#test/support/src/features/billing/FundsNode.ts"
import * as WatchedBlobs from "#test/support/src/features/billing/WatchedBlobs.ts"

/** Two nodes and a gate: while it is closed, neither sees the other's appends. */
const withNodes = <A, E>(
  balance: string,
  body: (nodes: {
    readonly one: TestNode.TestNode
    readonly two: TestNode.TestNode
    readonly gate: Latch.Latch
    /** Keys of texts in the blob store. */
    readonly blobs: ReadonlySet<string>
  }) => Effect.Effect<A, E, EventReader>
) =>
  Effect.gen(function* () {
    yield* (yield* TestAccounts).open(account, balance)
    const gate = yield* Latch.make(true)
    const reader = yield* lagging(gate)
    const { keys: blobs, store } = yield* WatchedBlobs.make
    const start = (name: string) =>
      TestNode.start({ ...options, name }).pipe(
        Effect.provideService(EventReader, reader),
        Effect.provideService(BlobStore, store)
      )
    return yield* body({ one: yield* start("one"), two: yield* start("two"), gate, blobs })
  }).pipe(Effect.provide(TestNode.storeLayer))

/** How many of `count` concurrent submits the node accepts. A refusal waits at most two seconds for unseen events. */
const taken = (node: TestNode.TestNode, count: number) =>
  Effect.gen(function* () {
    const all = Effect.all(
      Array.from({ length: count }, () => Effect.exit(submit())),
      { concurrency: "unbounded" }
    )
    const fiber = yield* Effect.forkChild(node.on(all))
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => fiber.pollUnsafe() !== undefined })
    return (yield* Fiber.join(fiber)).filter(Exit.isSuccess).length
  })

/** Rejects all submits to the node from now on. */
const reservesOnly = Effect.map(AppendFaults.AppendFaults, ({ fail }) => fail("RequestSubmitted", Infinity))

const available = (node: TestNode.TestNode) => Effect.map(node.on(funds), ({ available }) => available)

describe("A balance on two nodes", () => {
  it.effect("for ten requests accepts ten when each node has seen the other's", () =>
    withNodes("0.01", ({ one, two }) =>
      Effect.gen(function* () {
        let count = 0
        for (let round = 0; round < 20; round++) {
          const node = round % 2 === 0 ? one : two
          yield* node.on(funds)
          count += yield* taken(node, 1)
        }
        assert.strictEqual(count, 10)
        assert.strictEqual(yield* accepted, 10)
        for (const node of [one, two]) assert.strictEqual(yield* available(node), "0")
      })
    )
  )

  it.effect("is overdrawn at most by what the other node has accepted within the lag", () =>
    withNodes("0.01", ({ gate, one, two }) =>
      Effect.gen(function* () {
        yield* Effect.all([one.on(funds), two.on(funds)])
        yield* gate.close
        // Neither sees the other, so each is strict with what it knows.
        assert.strictEqual(yield* taken(one, 100), 10)
        assert.strictEqual(yield* taken(two, 100), 10)
        yield* gate.open
        assert.strictEqual(yield* available(one), "-0.01")
        assert.strictEqual(yield* available(two), "-0.01")
        for (const node of [one, two]) assert.strictEqual(yield* taken(node, 10), 0)
        assert.strictEqual(yield* accepted, 20)
      })
    )
  )

  it.effect("is overdrawn by at most the amount the other node has not seen", () =>
    withNodes("0.01", ({ gate, one, two }) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* taken(one, 7), 7)
        yield* two.on(funds)
        yield* gate.close
        assert.strictEqual(yield* taken(one, 2), 2)
        assert.strictEqual(yield* taken(two, 100), 3)
        yield* gate.open
        assert.strictEqual(yield* available(one), "-0.002")
        for (const node of [one, two]) assert.strictEqual(yield* taken(node, 10), 0)
      })
    )
  )

  it.effect("is the same on both after ends and limits recorded by either", () =>
    withNodes("0.003", ({ one, two }) =>
      Effect.gen(function* () {
        const first = yield* one.on(submit())
        const second = yield* two.on(submit())
        yield* two.on(append(first.id, cancelled))
        yield* one.on(Lifecycle.start(second.id))
        yield* two.on(Lifecycle.deliver(second.id, { value: "out" }))
        yield* two.on(limit("0.001", 5))
        for (const node of [one, two]) {
          assert.deepStrictEqual(yield* node.on(funds), { available: "0.002", held: "0", open: 0 })
        }
        assert.strictEqual(yield* taken(one, 10), 3)
        assert.strictEqual(yield* available(two), Money.format(Money.NanoUsd.make(-1_000_000n)))
        assert.strictEqual(yield* taken(two, 10), 0)
      })
    )
  )
})

describe("Twins on two nodes", () => {
  for (const [what, isClosed] of [
    ["that see each other", false],
    ["that do not see each other", true]
  ] as const) {
    it.effect(`${what} become one request with one hold, one input and one charge`, () =>
      withNodes("0.01", ({ blobs, gate, one, two }) =>
        Effect.gen(function* () {
          if (isClosed) yield* gate.close
          const twins = Array.from({ length: 20 }, (_, index) =>
            (index % 2 === 0 ? one : two).on(submit({ ...keyed("k"), input: long }))
          )
          const answers = yield* Effect.all(twins, { concurrency: "unbounded" })
          yield* gate.open
          const [id] = new Set(answers.map(({ id }) => id))
          assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 1)
          assert.lengthOf(
            answers.filter(({ replayed }) => !replayed),
            1
          )
          assert.strictEqual(yield* accepted, 1)
          assert.strictEqual(blobs.size, 1)
          for (const node of [one, two]) {
            assert.deepStrictEqual(yield* node.on(funds), { available: "0.009", held: price, open: 1 })
          }
          const { payloads } = yield* two.on(Requests)
          const [answer] = answers
          if (id === undefined || answer === undefined) return assert.fail("there is no answer")
          assert.deepStrictEqual((yield* payloads(answer)).input, long)
          yield* one.on(Lifecycle.start(id))
          yield* two.on(Lifecycle.deliver(id, { value: "out" }))
          for (const node of [one, two]) {
            assert.deepStrictEqual(yield* node.on(funds), { available: "0.009", held: "0", open: 0 })
          }
        })
      )
    )
  }

  it.effect("become one request when the first node dies after it has reserved the key", () =>
    withNodes("0.01", ({ blobs, one, two }) =>
      Effect.gen(function* () {
        yield* one.on(reservesOnly)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(one.on(submit({ ...keyed("k"), input: long })))))
        yield* one.crash
        const answer = yield* two.on(submit({ ...keyed("k"), input: long }))
        assert.isFalse(answer.replayed)
        assert.isTrue((yield* two.on(submit({ ...keyed("k"), input: long }))).replayed)
        yield* one.revive
        assert.isTrue((yield* one.on(submit({ ...keyed("k"), input: long }))).replayed)
        assert.strictEqual(yield* accepted, 1)
        assert.strictEqual(blobs.size, 1)
        for (const node of [one, two]) {
          assert.deepStrictEqual(yield* node.on(funds), { available: "0.009", held: price, open: 1 })
        }
      })
    )
  )
})
