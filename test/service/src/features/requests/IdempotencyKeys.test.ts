import { assert, describe, it } from "@effect/vitest"
import * as crypto from "node:crypto"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { RequestId } from "#domain/Ids.ts"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import { IdempotencyKeyActors } from "#src/features/requests/IdempotencyKeyActors.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import {
  keyed,
  layer,
  limited,
  logged,
  models,
  submit,
  waiting,
  settled
} from "#test/support/src/features/requests/Submits.ts"

describe("An idempotency key", () => {
  it.effect("returns the first answer again, whatever the request's state", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.succeed(succeeded()))
      const first = yield* submit(keyed("k"))
      yield* Facts.untilEnd(first.id)
      yield* Facts.snapshot(first.id)
      const again = yield* submit(keyed("k"))
      assert.isTrue(again.replayed)
      assert.strictEqual(again.id, first.id)
      assert.deepStrictEqual(again.request, first.request)
      assert.strictEqual(provider.begun().length, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("returns the first answer again even when the model's queue is full", () =>
    Effect.gen(function* () {
      const first = yield* submit({ model: limited, ...keyed("k") })
      yield* Effect.replicateEffect(submit({ model: limited }), 2)
      yield* settled
      assert.strictEqual((yield* Effect.flip(submit({ model: limited })))._tag, "QueueFull")
      assert.strictEqual((yield* submit({ model: limited, ...keyed("k") })).id, first.id)
    }).pipe(Effect.provide(waiting))
  )

  it.effect(
    "returns the first answer again when the model is gone, rejects the input or the caller's check fails",
    () =>
      Effect.gen(function* () {
        const options = { dispatches: false }
        const strict = { ...single, model: { ...single.model, inputSchema: { not: {} } } }
        const before = yield* TestNode.start({ ...options, name: "before", models: [single] })
        const stricter = yield* TestNode.start({ ...options, name: "stricter", models: [strict] })
        const without = yield* TestNode.start({ ...options, name: "without", models: [] })
        const first = yield* before.on(submit(keyed("k")))
        for (const node of [stricter, without]) {
          assert.strictEqual((yield* node.on(submit(keyed("k")))).id, first.id)
          assert.include(
            ["InvalidInput", "ModelNotFound"],
            (yield* Effect.flip(node.on(submit(keyed("K")))))._tag
          )
        }
        const checked = (key: string) =>
          Effect.flatMap(Requests, (requests) =>
            requests.submit(Facts.submission(keyed(key)), {
              first: Effect.void,
              last: Effect.fail("the name does not resolve" as const)
            })
          )
        assert.isTrue((yield* before.on(checked("k"))).replayed)
        assert.strictEqual(yield* Effect.flip(before.on(checked("K"))), "the name does not resolve")
        assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
      }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is rejected for another request", () =>
    Effect.gen(function* () {
      yield* submit(keyed("k"))
      const error = yield* Effect.flip(submit(keyed("k", "hash of another request")))
      assert.strictEqual(error._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(waiting))
  )

  it.effect("belongs to one account, and differs from every other key", () =>
    Effect.gen(function* () {
      const answers = [
        yield* submit(keyed("k")),
        yield* submit(keyed("K")),
        yield* submit(keyed("k ")),
        yield* submit({ ...keyed("k"), account: "acc_other" })
      ]
      assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 4)
      assert.isFalse(answers.some(({ replayed }) => replayed))
    }).pipe(Effect.provide(waiting))
  )

  it.effect("creates one request of fifty at once, with one first answer", () =>
    Effect.gen(function* () {
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => submit(keyed("k"))),
        {
          concurrency: "unbounded"
        }
      )
      assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 1)
      assert.lengthOf(
        answers.filter(({ replayed }) => !replayed),
        1
      )
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("creates one request of twins on two nodes", () =>
    Effect.gen(function* () {
      const options = { models, dispatches: false }
      const one = yield* TestNode.start({ ...options, name: "one" })
      const two = yield* TestNode.start({ ...options, name: "two" })
      const twins = Array.from({ length: 20 }, (_, index) =>
        (index % 2 === 0 ? one : two).on(submit(keyed("k")))
      )
      const answers = yield* Effect.all(twins, { concurrency: "unbounded" })
      assert.strictEqual(new Set(answers.map(({ id }) => id)).size, 1)
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that was reserved before a crash leads to the request under the reserved id", () =>
    Effect.gen(function* () {
      const keys = yield* IdempotencyKeyActors
      const ids = yield* IdGenerator
      const reserved = RequestId.make(ids.next())
      const keyHash = crypto.hash("sha256", "k", "base64url")
      const { accountId } = Facts.caller()
      yield* keys.execute(IdempotencyKey.streamId(accountId, keyHash), {
        _tag: "Reserve",
        at: 0,
        requestId: reserved,
        requestHash: "hash of the request"
      })
      const answer = yield* submit(keyed("k"))
      assert.deepStrictEqual([answer.id, answer.replayed], [reserved, false])
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("whose request was hashed by another release still leads to it", () =>
    Effect.gen(function* () {
      const isFormerHash = (hash: string) => hash === "hash of an older release"
      const first = yield* submit(keyed("k", "hash of an older release"))
      const again = (requestHash: string) => submit({ idempotency: { key: "k", requestHash, isFormerHash } })
      const answer = yield* again("hash of the request")
      assert.deepStrictEqual([answer.id, answer.replayed], [first.id, true])
      yield* submit(keyed("K", "hash of another request"))
      const reused = submit({ idempotency: { key: "K", requestHash: "hash of the request", isFormerHash } })
      assert.strictEqual((yield* Effect.flip(reused))._tag, "IdempotencyKeyReused")
    }).pipe(Effect.provide(waiting))
  )

  it.effect("that was reserved before a crash by another release leads to the request", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      faults.fail("RequestSubmitted", 1)
      yield* Effect.flip(submit(keyed("k", "hash of an older release")))
      const isFormerHash = (hash: string) => hash === "hash of an older release"
      const idempotency = { key: "k", requestHash: "hash of the request", isFormerHash }
      assert.isFalse((yield* submit({ idempotency })).replayed)
      assert.isTrue((yield* submit({ idempotency })).replayed)
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("whose request could not be stored leads to it at the next attempt", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      faults.fail("RequestSubmitted", 1)
      yield* Effect.flip(submit(keyed("k")))
      assert.isFalse((yield* submit(keyed("k"))).replayed)
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("whose request was stored despite an error leads to it at the next attempt", () =>
    Effect.gen(function* () {
      const faults = yield* AppendFaults.AppendFaults
      faults.fail("RequestSubmitted", 1, "stored unheard")
      yield* Effect.flip(submit(keyed("k")))
      assert.isTrue((yield* submit(keyed("k"))).replayed)
      assert.deepStrictEqual(yield* logged, ["KeyReserved", "RequestSubmitted"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("is free again after exactly 24 hours", () =>
    Effect.gen(function* () {
      const first = yield* submit(keyed("k"))
      yield* TestClock.adjust(IdempotencyKey.retentionMs - 1)
      const error = yield* Effect.flip(submit(keyed("k", "hash of another request")))
      assert.strictEqual(error._tag, "IdempotencyKeyReused")
      yield* TestClock.adjust(1)
      const second = yield* submit(keyed("k", "hash of another request"))
      assert.isFalse(second.replayed)
      assert.notStrictEqual(second.id, first.id)
      yield* TestClock.adjust(IdempotencyKey.retentionMs)
      const third = yield* submit(keyed("k", "hash of another request"))
      assert.isFalse(third.replayed)
      assert.notStrictEqual(third.id, second.id)
    }).pipe(Effect.provide(waiting))
  )
})
