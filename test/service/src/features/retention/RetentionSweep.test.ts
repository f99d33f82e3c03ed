import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Account from "#domain/account/Account.ts"
import * as KeySet from "#domain/account/KeySet.ts"
import { AccountId, type RequestId } from "#domain/Ids.ts"
import { Retention } from "#projections/retention/Retention.ts"
import { AccountActors } from "#src/features/accounts/AccountActors.ts"
import { FileSweep } from "#src/features/files/FileSweep.ts"
import { MediaStore } from "#src/features/media/MediaStore.ts"
import { RetentionSweep } from "#src/features/retention/RetentionSweep.ts"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import { settle } from "#test/support/projections/ReadSide.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Erased from "#test/support/src/features/retention/Erased.ts"

const sweep = RetentionSweep.layerNoReactor.pipe(
  Layer.provideMerge(AccountErasing.layer),
  Layer.provideMerge(FileSweep.layer),
  Layer.provideMerge(Retention.layer),
  Layer.provide(Layer.succeed(TakesRequests, true))
)
const over = (node: ReturnType<typeof TestNode.layer>) => Layer.provideMerge(sweep, node)
const waiting = over(TestNode.layer({ dispatches: false }))

const pass = Effect.andThen(
  Effect.forEach(["retention", "history"], settle),
  Effect.flatMap(RetentionSweep, ({ pass }) => pass)
)
const nothing = { expired: 0, resumed: 0, ofAccounts: 0, files: 0, failed: 0 }

const isErased = (id: RequestId) => Effect.map(Facts.types(id), (types) => types.includes("PayloadsErased"))

const alice = AccountId.make("acc_alice")

const accountEvents = Effect.gen(function* () {
  const stream = StreamName.make(Account.aggregate.category, alice)
  const events = yield* (yield* EventReader).read(stream)
  return events.map(({ type }) => type).filter((type) => type.startsWith("AccountEras"))
})

describe("The sweep of retention", () => {
  it.effect("erases a request 30 days after its submit, to the minute", () =>
    Effect.gen(function* () {
      const { id, fileId } = yield* Erased.completed(Erased.large)
      const open = yield* Facts.submit({ input: Erased.small })
      const before = yield* Facts.snapshot(id)
      yield* TestClock.adjust(Duration.subtract(Duration.days(30), Duration.minutes(1)))
      assert.deepStrictEqual(yield* pass, nothing)
      assert.include(yield* Erased.readable(id, before), Erased.secret)

      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* pass, { ...nothing, expired: 1 })
      assert.notInclude(yield* Erased.readable(id, before), Erased.secret)
      assert.deepInclude(Facts.ofType(yield* Facts.events(id), "PayloadsErased")[0], { reason: "expired" })
      assert.strictEqual((yield* Effect.flip((yield* MediaStore).find(fileId)))._tag, "MediaGone")
      assert.isFalse(yield* isErased(open), "one that has not ended stays")
      assert.deepStrictEqual(yield* pass, nothing)

      yield* Facts.cancel(open)
      assert.deepStrictEqual(yield* pass, { ...nothing, expired: 1 })
      assert.isTrue(yield* isErased(open))
    }).pipe(Effect.provide(waiting))
  )

  it.effect("processes many pages, and a failure of one request does not affect the others", () =>
    Effect.gen(function* () {
      const ids: Array<RequestId> = []
      for (let number = 0; number < 450; number++) {
        const id = yield* Facts.submit({ input: Erased.small })
        yield* Facts.cancel(id)
        ids.push(id)
      }
      yield* TestClock.adjust("31 days")
      const faults = yield* AppendFaults
      faults.fail("PayloadsErased", 2)
      assert.deepStrictEqual(yield* pass, { ...nothing, expired: 448, failed: 2 })
      assert.deepStrictEqual(yield* pass, { ...nothing, expired: 2 })
      assert.isTrue((yield* Effect.forEach(ids, isErased)).every((erased) => erased))
    }).pipe(Effect.provide(waiting))
  )

  it.effect("logs an unreadable request once, and erases the others", () =>
    Effect.gen(function* () {
      const unreadable = yield* Erased.completedWithoutFile()
      const id = yield* Erased.completedWithoutFile()
      yield* Facts.makeUnreadable(unreadable)
      yield* Effect.ignoreCause((yield* RequestActors).refresh(unreadable))
      yield* TestClock.adjust("31 days")
      assert.deepStrictEqual(yield* pass, { ...nothing, expired: 1, failed: 1 })
      assert.isTrue(yield* isErased(id))
      assert.deepStrictEqual(yield* pass, nothing)
    }).pipe(Effect.provide(waiting))
  )

  for (const lost of ["the blobs are not removed", "their removal is not recorded"] as const) {
    it.effect(`continues after a crash in which ${lost}`, () => {
      const blobs = Erased.failingBlobs()
      const store = blobs.layer.pipe(Layer.provideMerge(TestNode.storeLayer))
      return Effect.gen(function* () {
        const first = yield* TestNode.start({ name: "first", dispatches: false })
        const { id, fileId } = yield* first.on(Erased.completed(Erased.large))
        if (lost === "the blobs are not removed") yield* blobs.fail(1_000)
        else yield* first.on(Effect.map(AppendFaults, (faults) => faults.fail("ErasedFilesRemoved", 1)))
        yield* first.on(Effect.flip(Effect.flatMap(Eraser, ({ erase }) => erase(id, "requested"))))
        yield* first.stop
        yield* blobs.fail(0)
        assert.notInclude(yield* Facts.types(id), "ErasedFilesRemoved")

        const heir = yield* TestNode.start({ name: "heir", dispatches: false })
        const swept = yield* heir.on(Effect.provide(pass, sweep))
        assert.deepStrictEqual(swept, { ...nothing, resumed: 1 })
        assert.include(yield* Facts.types(id), "ErasedFilesRemoved")
        const found = yield* heir.on(Effect.flip(Effect.flatMap(MediaStore, (media) => media.find(fileId))))
        assert.strictEqual(found._tag, "MediaGone")
        assert.deepStrictEqual(yield* heir.on(Effect.provide(pass, sweep)), nothing)
      }).pipe(Effect.provide(store))
    })
  }
})

describe("An erased account", () => {
  it.effect("has its requests stopped and erased, including running ones, and no others", () =>
    Effect.gen(function* () {
      const { close } = yield* AccountErasing
      const provider = yield* TestProvider
      const running = yield* Facts.submit({ account: alice, input: Erased.small })
      const run = yield* provider.next
      const queued = yield* Facts.submit({ account: alice, input: Erased.small })
      const others = yield* Facts.submit({ input: Erased.small })
      yield* close(alice)
      yield* close(alice)

      // It erases one request and stops the other, so it is not done.
      assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 1 })
      assert.isTrue(yield* isErased(queued))
      assert.isFalse(yield* isErased(running))
      yield* run.stopRequested
      yield* run.ends({ _tag: "Stopped" })
      yield* Facts.untilEnd(running)
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 1 })
      assert.isTrue(yield* isErased(running))
      assert.deepStrictEqual(yield* accountEvents, ["AccountErased", "AccountErasureFinished"])
      assert.isFalse(yield* isErased(others))
      assert.deepStrictEqual(yield* pass, nothing)
    }).pipe(Effect.provide(over(TestNode.layer())))
  )

  it.effect("is not complete while an earlier submit may still arrive", () =>
    Effect.gen(function* () {
      const { close } = yield* AccountErasing
      yield* Erased.completedWithoutFile(alice)
      yield* close(alice)
      assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 1 })
      const late = yield* Facts.submit({ account: alice, input: Erased.small })
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 1 })
      assert.isTrue(yield* isErased(late))
      assert.deepStrictEqual(yield* accountEvents, ["AccountErased"])
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* pass, nothing)
      assert.deepStrictEqual(yield* accountEvents, ["AccountErased", "AccountErasureFinished"])
    }).pipe(Effect.provide(waiting))
  )

  it.effect("is continued by the next node, wherever the first one stopped", () =>
    Effect.gen(function* () {
      const first = yield* TestNode.start({ name: "first", dispatches: false })
      const ids = yield* first.on(
        Effect.forEach(Array.from({ length: 5 }), () => Erased.completedWithoutFile(alice))
      )
      yield* first.on(
        Effect.gen(function* () {
          const { close } = yield* AccountErasing
          yield* close(alice)
          const faults = yield* AppendFaults
          let left = 2
          faults.decide(({ events }) =>
            events.some(({ type }) => type === "PayloadsErased") && left-- <= 0 ? "refused" : "stored"
          )
          assert.deepStrictEqual(yield* pass, { ...nothing, ofAccounts: 2, failed: 3 })
        }).pipe(Effect.provide(sweep))
      )
      yield* first.stop
      yield* TestClock.adjust("2 minutes")
      const heir = yield* TestNode.start({ name: "heir", dispatches: false })
      assert.deepStrictEqual(yield* heir.on(Effect.provide(pass, sweep)), { ...nothing, ofAccounts: 3 })
      assert.isTrue((yield* Effect.forEach(ids, isErased)).every((erased) => erased))
      assert.deepStrictEqual(yield* accountEvents, ["AccountErased", "AccountErasureFinished"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("rejects all its keys", () =>
    Effect.gen(function* () {
      yield* Erased.completedWithoutFile(alice)
      yield* (yield* AccountErasing).close(alice)
      const { state } = yield* (yield* AccountActors).current(alice)
      if (state._tag !== "Account") return assert.fail("no account")
      assert.isTrue([...KeySet.values(state.keys)].every(({ revokedAt }) => revokedAt !== null))
      const unknown = yield* Effect.flip((yield* AccountErasing).close(AccountId.make("acc_nobody")))
      assert.strictEqual(unknown._tag, "AccountNotFound")
    }).pipe(Effect.provide(waiting))
  )
})

describe("The reactor of retention", () => {
  it.effect("runs at its start and every minute", () =>
    Effect.gen(function* () {
      const id = yield* Erased.completedWithoutFile()
      yield* TestClock.adjust(Duration.subtract(Duration.days(30), Duration.seconds(30)))
      yield* Effect.forEach(["retention", "history"], settle)
      const reactor = RetentionSweep.layer.pipe(
        Layer.provide(AccountErasing.layer),
        Layer.provide(FileSweep.layer),
        Layer.provide(Retention.layer)
      )
      const time = Effect.forever(Effect.andThen(TestClock.adjust("10 seconds"), Effect.yieldNow))
      yield* Effect.raceFirst(Facts.untilType(id, "PayloadsErased"), time).pipe(Effect.provide(reactor))
    }).pipe(Effect.provide(TestNode.layer({ dispatches: false })))
  )
})
