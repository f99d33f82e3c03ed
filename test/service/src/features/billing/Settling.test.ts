/** The hold and the input of a failed submit that the log may still store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import { TestAccounts } from "#test/support/TestAccounts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import {
  accepted,
  account,
  funds,
  keyed,
  long,
  options,
  price,
  errorAnswer,
  submit
} from "#test/support/src/features/billing/FundsNode.ts"
import * as LateAppends from "#test/support/src/features/billing/LateAppends.ts"
import * as WatchedBlobs from "#test/support/src/features/billing/WatchedBlobs.ts"
import * as Until from "#test/support/Until.ts"

/** A node that can pay for one request, on a log that may delay appends. `blobs` are the stored ones. */
const withLateAppends = <A, E>(
  body: (
    log: LateAppends.LateAppends,
    blobs: Effect.Effect<ReadonlyArray<string>>
  ) => Effect.Effect<A, E, TestNode.NodeServices>
) =>
  Effect.gen(function* () {
    yield* (yield* TestAccounts).open(account, price)
    const log = yield* LateAppends.make
    const blobs = yield* WatchedBlobs.make
    const node = yield* TestNode.start({ ...options, name: "node" }).pipe(
      Effect.provideService(BlobStore, blobs.store),
      Effect.provideService(EventStore, log.store),
      Effect.provideService(EventReader, log.reader)
    )
    return yield* node.on(
      body(
        log,
        Effect.sync(() => [...blobs.keys])
      )
    )
  }).pipe(Effect.provide(TestNode.storeLayer))

/** Fails after its wait for the log. */
const failing = (wanted: Parameters<typeof errorAnswer>[0]) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(errorAnswer(wanted))
    yield* Effect.repeat(TestClock.adjust("1 second"), { until: () => fiber.pollUnsafe() !== undefined })
    assert.strictEqual(yield* Fiber.join(fiber), "EventStoreError")
  })

const held = { available: "0", held: price, open: 1 }
const nothingHeld = { available: price, held: "0", open: 0 }

describe("A submit that failed and lands late", () => {
  it.effect("keeps its hold and its input", () =>
    withLateAppends((log, blobs) =>
      Effect.gen(function* () {
        yield* log.holdUp
        yield* failing({ ...keyed("k"), input: long })
        assert.deepStrictEqual(yield* funds, held)
        assert.lengthOf(yield* blobs, 1)
        yield* log.land
        assert.deepStrictEqual(yield* funds, held)
        assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
        const answer = yield* submit({ ...keyed("k"), input: long })
        assert.isTrue(answer.replayed)
        assert.deepStrictEqual((yield* (yield* Requests).payloads(answer)).input, long)
      })
    )
  )

  it.effect("and is lost after all releases both", () =>
    withLateAppends((log, blobs) =>
      Effect.gen(function* () {
        yield* log.holdUp
        yield* failing({ input: long })
        yield* log.lose
        yield* Effect.repeat(funds, { until: ({ open }) => open === 0 })
        assert.deepStrictEqual(yield* funds, nothingHeld)
        assert.deepStrictEqual(yield* blobs, [])
        assert.strictEqual(yield* accepted, 0)
      })
    )
  )

  it.effect("keeps both while the log cannot be read", () =>
    withLateAppends((log, blobs) =>
      Effect.gen(function* () {
        yield* log.holdUp
        yield* failing({ ...keyed("k"), input: long })
        yield* log.setReadable(false)
        yield* log.land
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* funds, held)
        assert.lengthOf(yield* blobs, 1)
        yield* log.setReadable(true)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* funds, held)
        assert.isTrue((yield* submit({ ...keyed("k"), input: long })).replayed)
      })
    )
  )

  it.effect("leaves no input when a twin was stored in its place", () =>
    withLateAppends((log, blobs) =>
      Effect.gen(function* () {
        yield* log.holdUp
        yield* failing({ ...keyed("k"), input: long })
        const answer = yield* submit({ ...keyed("k"), input: long })
        yield* log.land
        yield* Until.until("one blob", blobs, (keys) => keys.length === 1)
        assert.deepStrictEqual((yield* (yield* Requests).payloads(answer)).input, long)
        assert.deepStrictEqual(yield* funds, held)
        assert.strictEqual(yield* accepted, 1)
      })
    )
  )
})

describe("A submit that is certainly not on the log", () => {
  it.effect("releases hold and input at once, even if the log cannot be read", () =>
    withLateAppends((log, blobs) =>
      Effect.gen(function* () {
        yield* log.refuse
        yield* log.setReadable(false)
        assert.strictEqual(yield* errorAnswer({ input: long }), "EventStoreError")
        assert.deepStrictEqual(yield* funds, nothingHeld)
        assert.deepStrictEqual(yield* blobs, [])
        yield* log.setReadable(true)
        yield* submit()
        assert.deepStrictEqual(yield* funds, held)
      })
    )
  )
})
