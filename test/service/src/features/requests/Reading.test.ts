import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as Grant from "#domain/account/Grant.ts"
import { firstTimeOrdered, RequestId } from "#domain/Ids.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import { isTerminal } from "#domain/inference-request/State.ts"
import * as PayloadErasing from "#src/features/retention/PayloadErasing.ts"
import { SecondLooks } from "#src/features/requests/Reading.ts"
import { RequestChanges } from "#src/features/requests/RequestChanges.ts"
import { Requests, type Snapshot } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import * as StreamName from "#streams/StreamName.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, triple } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const layer = TestNode.layer()

const hasEnded = ({ request }: Snapshot) => isTerminal(request.phase)

const submit = Effect.gen(function* () {
  const requests = yield* Requests
  return yield* requests.submit(Facts.submission())
})

describe("Requests.get", () => {
  it.effect("returns a request only to the account that submitted it, under its model or none", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const { id } = yield* submit
      const read = (options: Partial<Parameters<typeof requests.get>[0]>) =>
        requests.get({ caller: Facts.caller(), id, ...options }).pipe(
          Effect.map((snapshot) => snapshot.id === id),
          Effect.catch(({ _tag }) => Effect.succeed(_tag))
        )
      assert.isTrue(yield* read({}))
      assert.isTrue(yield* read({ endpoint: single.model.endpoint }))
      assert.strictEqual(yield* read({ caller: Facts.caller("acc_other") }), "RequestForbidden")
      assert.strictEqual(yield* read({ endpoint: triple.model.endpoint }), "RequestNotFound")
      assert.strictEqual(
        yield* read({ caller: Facts.caller("acc_other"), endpoint: triple.model.endpoint }),
        "RequestForbidden"
      )
      assert.strictEqual(yield* read({ id: RequestId.make("rq-------------------") }), "RequestNotFound")
    }).pipe(Effect.provide(layer))
  )

  it.effect("returns to a key with granted models only their requests", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const { id } = yield* submit
      const granted = (modelEndpoints: Grant.Grant["modelEndpoints"]) => ({
        ...Facts.caller(),
        grant: { ...Grant.unlimited, modelEndpoints }
      })
      const other = granted([triple.model.endpoint])
      for (const endpoint of [single.model.endpoint, triple.model.endpoint]) {
        const get = requests.get({ caller: other, id, endpoint })
        assert.strictEqual((yield* Effect.flip(get))._tag, "RequestForbidden")
        const cancel = requests.cancel({ caller: other, id, endpoint })
        assert.strictEqual((yield* Effect.flip(cancel))._tag, "RequestForbidden")
      }
      const erase = (yield* PayloadErasing.make)({ caller: other, id })
      assert.strictEqual((yield* Effect.flip(erase))._tag, "RequestForbidden")
      const both = granted([triple.model.endpoint, single.model.endpoint])
      assert.strictEqual((yield* requests.get({ caller: both, id })).id, id)
    }).pipe(Effect.provide(layer))
  )

  it.effect("reads a young request again, in case the log's answer was stale", () =>
    Effect.gen(function* () {
      const node = yield* Effect.provideService(
        TestNode.start({ name: "node", dispatches: false, follows: false }),
        SecondLooks,
        4
      )
      const elsewhere = yield* TestNode.start({ name: "elsewhere", dispatches: false })
      const get = (id: RequestId) =>
        Effect.flatMap(Requests, (requests) => requests.get({ caller: Facts.caller(), id }))
      yield* TestClock.adjust("1 hour")
      const now = yield* Clock.currentTimeMillis
      const young = RequestId.make(firstTimeOrdered(now))
      const old = RequestId.make(firstTimeOrdered(now - 60_000))
      assert.strictEqual((yield* Effect.flip(node.on(get(old))))._tag, "RequestNotFound")
      const unknown = yield* Effect.forkChild(Effect.flip(node.on(get(young))))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(unknown))._tag, "RequestNotFound")

      const { id } = yield* elsewhere.on(submit)
      yield* node.on(Effect.map(AppendFaults, ({ hideStreams }) => hideStreams(4)))
      const found = yield* Effect.forkChild(node.on(get(id)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(found)).id, id)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("returns what another node has accepted, while this one waits for its own append", () =>
    Effect.gen(function* () {
      const idempotency = { key: "k", requestHash: "hash of the request" }
      const twin = Effect.flatMap(Requests, (requests) =>
        requests.submit({ ...Facts.submission(), idempotency })
      )
      const node = yield* TestNode.start({ name: "node", dispatches: false, follows: false })
      const elsewhere = yield* TestNode.start({ name: "elsewhere", dispatches: false })
      const asked = yield* Deferred.make<void>()
      yield* node.on(
        Effect.map(AppendFaults, ({ decide }) =>
          decide(({ events }) => {
            if (!events.some(({ type }) => type === "RequestSubmitted")) return "stored"
            Deferred.doneUnsafe(asked, Effect.void)
            return "unanswered"
          })
        )
      )
      yield* Effect.forkDetach(node.on(twin))
      yield* Deferred.await(asked)
      const { id } = yield* elsewhere.on(twin)
      const found = yield* node.on(
        Effect.flatMap(Requests, (requests) => requests.get({ caller: Facts.caller(), id }))
      )
      assert.strictEqual(found.id, id)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("returns a version that changes with every event", () =>
    Effect.gen(function* () {
      const { id, version } = yield* submit
      const run = yield* (yield* TestProvider).next
      const dispatched = yield* Facts.snapshot(id)
      yield* run.ends(succeeded())
      yield* Facts.untilEnd(id)
      const ended = yield* Facts.snapshot(id)
      assert.strictEqual(new Set([version, dispatched.version, ended.version]).size, 3)
      assert.strictEqual((yield* Facts.snapshot(id)).version, ended.version)
    }).pipe(Effect.provide(layer))
  )
})

describe("Requests.waitUntil", () => {
  it.effect("answers at once when the condition is met, or without a timeout", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const accepted = yield* submit
      yield* requests.waitUntil(accepted, () => true, 60_000)
      assert.isFalse(hasEnded(yield* requests.waitUntil(accepted, hasEnded, 0)))
    }).pipe(Effect.provide(layer))
  )

  it.effect("wakes all waiting callers on the change", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const accepted = yield* submit
      const run = yield* (yield* TestProvider).next
      const waiters = yield* Effect.forEach(Array.from({ length: 500 }), () =>
        Effect.forkChild(requests.waitUntil(accepted, hasEnded, 60_000))
      )
      yield* run.ends(succeeded())
      const answers = yield* Effect.forEach(waiters, Fiber.join)
      assert.isTrue(answers.every(hasEnded))
      assert.strictEqual(yield* Clock.currentTimeMillis, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("answers at the timeout with the current state, despite changes", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const accepted = yield* submit
      const run = yield* (yield* TestProvider).next
      const waiter = yield* Effect.forkChild(requests.waitUntil(accepted, hasEnded, 1_000))
      yield* TestClock.adjust("600 millis")
      yield* run.does(({ progress }) => progress({ fraction: 0.25, logs: [] }))
      yield* run.does(({ started }) => started)
      yield* TestClock.adjust("399 millis")
      assert.isUndefined(waiter.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const answer = yield* Fiber.join(waiter)
      assert.strictEqual(answer.request.phase._tag, "Running")
    }).pipe(Effect.provide(layer))
  )

  it.effect("sees another node's changes, whatever else this node follows", () =>
    Effect.gen(function* () {
      const reading = yield* TestNode.start({ name: "reading", dispatches: false, follows: false })
      const running = yield* TestNode.start({ name: "running" })
      const accepted = yield* reading.on(submit)
      const run = yield* (yield* TestProvider).next
      const waiter = yield* Effect.forkChild(
        reading.on(Effect.flatMap(Requests, (requests) => requests.waitUntil(accepted, hasEnded, 60_000)))
      )
      yield* run.ends(succeeded())
      assert.isTrue(hasEnded(yield* Fiber.join(waiter)))
      yield* running.stop
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("RequestChanges", () => {
  it.effect("misses no change between watching and waiting, and merges several into one", () =>
    Effect.gen(function* () {
      const changes = yield* RequestChanges
      const { id } = yield* submit
      const scope = yield* Scope.make()
      const changed = yield* Scope.provide(changes.watch(id), scope)
      const run = yield* (yield* TestProvider).next
      yield* run.ends(succeeded())
      yield* Facts.untilEnd(id)
      yield* changed
      assert.isTrue(hasEnded(yield* Facts.snapshot(id)))
      yield* Scope.close(scope, Exit.void)
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not wake a closed watch, and keeps the other watches", () =>
    Effect.gen(function* () {
      const changes = yield* RequestChanges
      const { id } = yield* submit
      const run = yield* (yield* TestProvider).next
      const gone = yield* Scope.make()
      const goneChanged = yield* Scope.provide(changes.watch(id), gone)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const changed = yield* changes.watch(id)
          yield* Scope.close(gone, Exit.void)
          const woken = yield* Deferred.make<void>()
          yield* Effect.forkScoped(Effect.tap(goneChanged, () => Deferred.succeed(woken, undefined)))
          yield* run.ends(succeeded())
          yield* Facts.untilEnd(id)
          yield* changed
          assert.isFalse(yield* Deferred.isDone(woken))
        })
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("Requests.payloads", () => {
  it.effect("reports a missing payload instead of returning another one", () =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const blobs = yield* BlobStore
      const reader = yield* EventReader
      const input = { value: "x".repeat(inlineLimit) }
      const accepted = yield* requests.submit(Facts.submission({ input }))
      const stream = StreamName.make(InferenceRequest.aggregate.category, accepted.id)
      const content = (yield* reader.payload(stream, "input"))?.content
      if (content?._tag !== "Blob") return assert.fail("the input is not a blob")
      yield* blobs.put(content.key, Buffer.from(JSON.stringify({ value: "another" })))
      const damaged = yield* Effect.flip(requests.payloads(accepted))
      assert.deepInclude(damaged, { _tag: "PayloadUnavailable", reason: "damaged" })
      const withoutInput = yield* requests.payloads(accepted, { input: false })
      assert.deepStrictEqual(withoutInput, { input: null, output: null }, "it was not read")
      yield* blobs.remove(content.key)
      const lost = yield* Effect.flip(requests.payloads(accepted))
      assert.deepInclude(lost, { _tag: "PayloadUnavailable", reason: "lost" })
    }).pipe(Effect.provide(layer))
  )
})
