/** The fate of a hold when the request ends, when the append fails, and when the node lags behind the log. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Holds from "#src/features/requests/Holds.ts"
import { BlobStore, BlobStoreError } from "#streams/BlobStore.ts"
import { Payloads } from "#streams/Payload.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { usd } from "#test/support/TestAccounts.ts"
import {
  accepted,
  account,
  accountId,
  append,
  cancelled,
  funds,
  keyed,
  long,
  price,
  errorAnswer,
  submit,
  topUp,
  upToThree,
  withBalance,
  withBlobs,
  withLag
} from "#test/support/src/features/billing/FundsNode.ts"

describe("A hold", () => {
  it.effect("is released when the append failed", () =>
    withBalance(
      price,
      Effect.gen(function* () {
        const faults = yield* AppendFaults.AppendFaults
        for (let round = 0; round < 3; round++) {
          faults.fail("RequestSubmitted", 1)
          assert.strictEqual(yield* errorAnswer(), "EventStoreError")
          assert.deepStrictEqual(yield* funds, { available: price, held: "0", open: 0 })
        }
        yield* submit()
        assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
      })
    )
  )

  it.effect("is released when the input cannot be stored", () =>
    withBlobs(
      { before: () => Effect.fail(new BlobStoreError({ reason: "The disk of the test is full" })) },
      Effect.gen(function* () {
        assert.strictEqual(yield* errorAnswer({ input: long }), "BlobStoreError")
        assert.deepStrictEqual(yield* funds, { available: price, held: "0", open: 0 })
        yield* submit()
      })
    )
  )

  it.effect("is released when nothing was appended because the request already existed and has ended", () =>
    withBalance(
      price,
      Effect.gen(function* () {
        const holds = yield* Holds.make
        const { id } = yield* submit(keyed("k"))
        yield* append(id, cancelled)
        assert.deepStrictEqual(yield* funds, { available: price, held: "0", open: 0 })
        const payloads = yield* Payloads
        const stream = StreamName.make(InferenceRequest.aggregate.category, id)
        yield* holds.take({
          accountId,
          keyId: Facts.caller(account).keyId,
          requestId: id,
          hold: usd(price),
          budget: null,
          at: 0
        })
        const seal = payloads.seal({ owner: accountId, stream, name: "input", text: JSON.stringify(long) })
        const input = yield* holds.sealing(id, seal)
        yield* holds.appended(id, input, Exit.succeed({ events: [] }))
        assert.deepStrictEqual(yield* funds, { available: price, held: "0", open: 0 })
      })
    )
  )

  it.effect("leaves no input when the append failed", () => {
    const puts: Array<string> = []
    return withBlobs(
      { before: (key) => Effect.sync(() => void puts.push(key)) },
      Effect.gen(function* () {
        const faults = yield* AppendFaults.AppendFaults
        faults.fail("RequestSubmitted", 1)
        assert.strictEqual(yield* errorAnswer({ input: long }), "EventStoreError")
        yield* submit({ input: long })
        const blobs = yield* BlobStore
        const sizes = yield* Effect.forEach(puts, (key) => blobs.size(key))
        assert.lengthOf(sizes, 2)
        assert.isNull(sizes[0])
        assert.isNotNull(sizes[1])
      })
    )
  })

  it.effect("stays when a failed append is on the log after all, like its payload", () =>
    withBalance(
      price,
      Effect.gen(function* () {
        const faults = yield* AppendFaults.AppendFaults
        const requests = yield* Requests
        faults.fail("RequestSubmitted", 1, "stored unheard")
        assert.strictEqual(yield* errorAnswer({ ...keyed("k"), input: long }), "EventStoreError")
        assert.deepStrictEqual(yield* funds, { available: "0", held: price, open: 1 })
        assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
        const answer = yield* submit({ ...keyed("k"), input: long })
        assert.isTrue(answer.replayed)
        assert.deepStrictEqual((yield* requests.payloads(answer)).input, long)
      })
    )
  )

  it.effect("is charged for the delivered units, and the rest released", () =>
    withBalance(
      "1",
      Effect.gen(function* () {
        const { id } = yield* submit({ model: upToThree })
        assert.deepStrictEqual(yield* funds, { available: "0.997", held: "0.003", open: 1 })
        yield* Lifecycle.start(id)
        yield* Lifecycle.deliver(id, { value: "out" })
        assert.deepStrictEqual(yield* funds, { available: "0.999", held: "0", open: 0 })
      })
    )
  )

  const ends: ReadonlyArray<Event> = [
    cancelled,
    { _tag: "RequestFailed", at: 0, attempt: 1, reason: "refused", message: "no" },
    { _tag: "RequestForceFailed", at: 0, attempt: 1, retries: 5, message: "lost" }
  ]
  for (const end of ends) {
    it.effect(`is released by ${end._tag}`, () =>
      withBalance(
        price,
        Effect.gen(function* () {
          const { id } = yield* submit()
          assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
          yield* append(id, end)
          yield* submit()
          assert.deepStrictEqual(yield* funds, { available: "0", held: price, open: 1 })
        })
      )
    )
  }
})

describe("A node behind the end of the log", () => {
  it.effect("catches up before it rejects a submit", () =>
    withLag("0", (gate) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* errorAnswer(), "InsufficientBalance")
        yield* gate.close
        yield* topUp(price)
        const submitting = yield* Effect.forkChild(submit())
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        assert.strictEqual(yield* accepted, 0)
        yield* gate.open
        yield* Fiber.join(submitting)
      })
    )
  )

  it.effect("rejects the submit after two seconds", () =>
    withLag("0", (gate) =>
      Effect.gen(function* () {
        yield* gate.close
        yield* topUp(price)
        const submitting = yield* Effect.forkChild(errorAnswer())
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        yield* TestClock.adjust("2 seconds")
        assert.strictEqual(yield* Fiber.join(submitting), "InsufficientBalance")
      })
    )
  )

  it.effect("releases nothing of an append that may have succeeded", () =>
    withLag(price, (gate) =>
      Effect.gen(function* () {
        const faults = yield* AppendFaults.AppendFaults
        const requests = yield* Requests
        yield* gate.close
        faults.fail("RequestSubmitted", 1, "stored unheard")
        const failing = yield* Effect.forkChild(errorAnswer({ ...keyed("k"), input: long }))
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        const other = yield* Effect.forkChild(errorAnswer())
        yield* Effect.repeat(Effect.yieldNow, { times: 50 })
        yield* gate.open
        assert.strictEqual(yield* Fiber.join(failing), "EventStoreError")
        assert.strictEqual(yield* Fiber.join(other), "InsufficientBalance")
        const answer = yield* submit({ ...keyed("k"), input: long })
        assert.deepStrictEqual((yield* requests.payloads(answer)).input, long)
      })
    )
  )
})
