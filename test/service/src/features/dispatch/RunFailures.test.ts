import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Json } from "#domain/CanonicalJson.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import * as Status from "#domain/inference-request/Status.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import { Catalog, NotKnownHere } from "#src/features/catalog/models/Catalog.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as AppendFaults from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import { single, succeeded, testModel } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import * as Fleet from "#test/support/src/features/dispatch/Fleet.ts"

/** A catalog in code, with other results. */
const changed = (changes: (known: Catalog["Service"]) => Partial<Catalog["Service"]>) =>
  Layer.effect(
    Catalog,
    Effect.map(Catalog, (known) => Catalog.of({ ...known, ...changes(known) }))
  ).pipe(Layer.provide(BuiltinCatalog.layerOf([single])))

const orphan = testModel("test/orphan", { provider: "nobody" })
const layer = TestNode.layer({ models: [single, orphan] })

/** The provider works again, so nothing of the failed run remains. */
const nextOneSucceeds = Effect.gen(function* () {
  const provider = yield* TestProvider
  provider.answerWith(() => Effect.succeed(succeeded()))
  const id = yield* Facts.submit()
  assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
})

const defects: ReadonlyArray<readonly [string, () => Effect.Effect<ProviderOutcome>]> = [
  ["dies", () => Effect.die(new Error("a bug"))],
  [
    "throws",
    () => {
      throw new Error("a bug")
    }
  ],
  ["interrupts itself", () => Effect.interrupt],
  ["joins a fiber that was interrupted", () => Effect.flatMap(interruptedFiber, Fiber.join)]
]

const interruptedFiber = Effect.tap(Effect.forkChild(Effect.never), Fiber.interrupt)

describe("A provider with a defect", () => {
  it.effect.each(defects)("that %s counts as a transport error", ([, run]) =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith(run)
      const id = yield* Facts.submit()
      const { dueAt, reason } = yield* Facts.untilType(id, "RequestRequeued")
      assert.deepStrictEqual([dueAt, reason], [250, "transport_error"])
      provider.answerWith(() => Effect.succeed(succeeded()))
      yield* TestClock.adjust("250 millis")
      assert.lengthOf(Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted"), 1)
      yield* nextOneSucceeds
    }).pipe(Effect.provide(layer))
  )

  const cyclic: { [key: string]: Json } = {}
  cyclic["self"] = cyclic

  it.effect("that returns invalid JSON fails its request only", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.succeed(succeeded(cyclic)))
      const id = yield* Facts.submit()
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.deepInclude(failed, { reason: "refused", message: "The provider's report cannot be read." })
      yield* nextOneSucceeds
    }).pipe(Effect.provide(layer))
  )
})

describe("A run that cannot start", () => {
  it.effect("fails its request when the server has no provider of that name", () =>
    Effect.gen(function* () {
      const id = yield* Facts.submit({ model: orphan })
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.strictEqual(failed?.message, "This server has no provider for the model.")
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails its request when the model is gone from the catalog", () =>
    Effect.gen(function* () {
      const before = yield* TestNode.start({ name: "before", models: [single], dispatches: false })
      const id = yield* before.on(Facts.submit())
      yield* before.stop
      const after = yield* TestNode.start({ name: "after", models: [orphan] })
      const all = yield* after.on(Facts.untilEnd(id))
      assert.strictEqual(Facts.ofType(all, "RequestFailed")[0]?.message, "The model is no longer offered.")
      assert.deepStrictEqual((yield* TestProvider).begun(), [])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("leaves its request waiting as long as this node cannot read the model", () =>
    Effect.gen(function* () {
      let isKnown = false
      const lastOffered = (known: Catalog["Service"]) => (endpoint: string) =>
        isKnown ? known.lastOffered(endpoint) : Effect.fail(new NotKnownHere({ endpoint }))
      const catalog = changed((known) => ({ lastOffered: lastOffered(known) }))
      const node = yield* TestNode.start({ name: "one", catalog })
      const id = yield* node.on(Facts.submit())
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* Facts.types(id), ["RequestSubmitted"])
      isKnown = true
      yield* TestClock.adjust("5 seconds")
      yield* (yield* (yield* TestProvider).next).ends(succeeded())
      assert.lengthOf(Facts.ofType(yield* node.on(Facts.untilEnd(id)), "RequestCompleted"), 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect(
    "returns its request, without counting an attempt, when this node cannot read the model's version",
    () =>
      Effect.gen(function* () {
        let asked = 0
        const catalog = changed((known) => ({
          findVersion: (endpoint, version) =>
            ++asked > 8 ? known.findVersion(endpoint, version) : Effect.fail(new NotKnownHere({ endpoint }))
        }))
        const node = yield* TestNode.start({ name: "one", catalog })
        const id = yield* node.on(Facts.submit())
        yield* Fleet.passRetries(id, 8).pipe(node.on)
        yield* (yield* (yield* TestProvider).next).ends(succeeded())
        const all = yield* node.on(Facts.untilEnd(id))
        assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
        const waits = Facts.ofType(all, "RequestRequeued").map(({ at, dueAt }) => dueAt - at)
        assert.deepStrictEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
        assert.deepStrictEqual((yield* node.on(Facts.snapshot(id))).request.retries, {
          transport: 0,
          lost: 0
        })
      }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("waits while the log does not return its input, without counting an attempt", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      const faults = yield* AppendFaults.AppendFaults
      faults.failPayloads(40)
      // A large input is not in memory.
      const id = yield* Facts.submit({ input: { value: "x".repeat(inlineLimit + 1) } })
      yield* Facts.untilType(id, "DispatchStarted")
      yield* TestClock.adjust("39 seconds")
      assert.deepStrictEqual(provider.begun(), [])
      yield* TestClock.adjust("2 seconds")
      yield* (yield* provider.next).ends(succeeded())
      const all = yield* Facts.untilEnd(id)
      assert.lengthOf(Facts.ofType(all, "DispatchStarted"), 1)
      assert.lengthOf(Facts.ofType(all, "RequestCompleted"), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails its request when the input is lost", () =>
    Effect.gen(function* () {
      const blobs = yield* BlobStore
      const reader = yield* EventReader
      const busy = yield* Facts.submit()
      const first = yield* (yield* TestProvider).next
      const id = yield* Facts.submit({ input: { value: "x".repeat(inlineLimit + 1) } })
      const sealed = yield* reader.payload(StreamName.make(InferenceRequest.aggregate.category, id), "input")
      if (sealed?.content._tag !== "Blob") return assert.fail("the input is not a blob")
      yield* blobs.remove(sealed.content.key)
      yield* first.ends(succeeded())
      yield* Facts.untilEnd(busy)
      const [failed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestFailed")
      assert.deepInclude(failed, { reason: "refused", message: "The input is lost." })
    }).pipe(Effect.provide(layer))
  )
})

describe("The end of a run", () => {
  it.effect(
    "with an output that violates the model's schema is recorded with every violation and not billed",
    () =>
      Effect.gen(function* () {
        const provider = yield* TestProvider
        provider.answerWith(() => Effect.succeed(succeeded({ value: 1, more: 2 })))
        const id = yield* Facts.submit()
        const all = yield* Facts.untilEnd(id)
        const [rejected] = Facts.ofType(all, "OutputRejected")
        assert.lengthOf(rejected?.violations ?? [], 2)
        const { request } = yield* Facts.snapshot(id)
        assert.strictEqual(Status.outcome(request), "invalid_output")
        assert.strictEqual(Status.cost(request), 0n)
      }).pipe(Effect.provide(layer))
  )

  it.effect("that the provider reports as failed completes the request, not billed", () =>
    Effect.gen(function* () {
      const provider = yield* TestProvider
      provider.answerWith(() => Effect.succeed({ _tag: "ModelFailed", message: "!".repeat(5_000) }))
      const id = yield* Facts.submit()
      const [completed] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCompleted")
      assert.strictEqual(completed?.error, "!".repeat(4_000))
      const { request } = yield* Facts.snapshot(id)
      assert.strictEqual(Status.outcome(request), "provider_failed")
      assert.strictEqual(Status.cost(request), 0n)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([0, 1])("returns an output of 64 KiB and %d bytes completely", (more) =>
    Effect.gen(function* () {
      const requests = yield* Requests
      const reader = yield* EventReader
      const provider = yield* TestProvider
      const frame = JSON.stringify({ value: "" }).length
      const output = { value: "y".repeat(inlineLimit - frame + more) }
      provider.answerWith(() => Effect.succeed(succeeded(output)))
      const id = yield* Facts.submit()
      yield* Facts.untilEnd(id)
      const stream = StreamName.make(InferenceRequest.aggregate.category, id)
      const sealed = yield* reader.payload(stream, "output")
      assert.strictEqual(sealed?.content._tag, more === 0 ? "Inline" : "Blob")
      const payloads = yield* requests.payloads(yield* Facts.snapshot(id))
      assert.deepStrictEqual(payloads.input, { value: "in" })
      assert.isTrue(JSON.stringify(payloads.output) === JSON.stringify(output), "the output is another one")
    }).pipe(Effect.provide(layer))
  )
})
