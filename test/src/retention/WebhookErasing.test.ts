/** What a request carried is also in the bodies of its webhooks: erasing takes those too, wherever it is cut short. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { Retention } from "#projections/retention/Retention.ts"
import { RetentionSweep } from "#src/reactors/retention/RetentionSweep.ts"
import { AccountErasing, TakesRequests } from "#src/retention/AccountErasing.ts"
import { Eraser } from "#src/retention/Eraser.ts"
import { Webhooks } from "#src/webhooks/Webhooks.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Payloads } from "#streams/Payload.ts"
import * as Facts from "#test/src/reactors/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/src/reactors/deliveries/Hook.ts"
import { settle } from "#test/projections/ReadSide.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import { succeeded } from "#test/support/TestModels.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: {} })

const secret = "jane.doe@example.com"
const sizes = [
  ["small", { value: secret }],
  ["large", { value: secret.repeat(inlineLimit / 10) }]
] as const

const erase = (id: RequestId) => Effect.flatMap(Eraser, (eraser) => eraser.erase(id, "requested"))

/** What of the body anybody can still read: in memory, on the log, in the blob store. */
const left = Effect.fnUntraced(function* (id: string) {
  const { scheduled } = yield* Facts.delivery(id)
  const { accountId, payloads: refs } = scheduled
  const stream = Facts.streamOf(id)
  const opened = yield* Effect.result((yield* Payloads).open(stream, "body", refs.body))
  const record = yield* (yield* EventReader).payload(stream, "body")
  const size = yield* (yield* BlobStore).size(`payloads/${accountId}/${stream}/body-${refs.body.hash}`)
  return { opens: Result.isSuccess(opened), isRecorded: record !== null, hasBlob: size !== null }
})

const nothing = { opens: false, isRecorded: false, hasBlob: false }

const replay = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.replay({ caller: RequestFacts.caller(), id })).pipe(
    Effect.provide(Webhooks.layer)
  )

const sweep = Effect.andThen(
  settle("retention"),
  Effect.flatMap(RetentionSweep, ({ pass }) => pass)
).pipe(
  Effect.provide(
    RetentionSweep.layerNoReactor.pipe(
      Layer.provideMerge(AccountErasing.layer),
      Layer.provideMerge(Retention.layer),
      Layer.provide(Layer.succeed(TakesRequests, true))
    )
  )
)

describe("Erasing a request", () => {
  for (const [size, input] of sizes) {
    it.effect(
      `takes the ${size} body of a webhook that waits, which is given up and cannot be sent again`,
      () =>
        Effect.gen(function* () {
          const hook = yield* Hook.make(500)
          const { id, requestId } = yield* Facts.ended(hook.url, { input })
          yield* Facts.untilAttempts(id, 1)
          assert.deepStrictEqual(yield* left(id), {
            opens: true,
            isRecorded: true,
            hasBlob: size === "large"
          })
          yield* erase(requestId)
          assert.deepStrictEqual(yield* left(id), nothing)
          const last = (yield* Facts.events(id)).at(-1)
          assert.deepInclude(last, { _tag: "DeliveryFailed", reason: "erased" })
          assert.strictEqual((yield* Effect.flip(replay(id)))._tag, "BodyErased")
          yield* TestClock.adjust("2 hours")
          yield* Facts.rest
          assert.lengthOf(hook.posted(), 1)
        }).pipe(Effect.provide(layer))
    )

    it.effect(`takes the ${size} body of one that was delivered, and that stays delivered`, () =>
      Effect.gen(function* () {
        const hook = yield* Hook.make()
        const { id, requestId } = yield* Facts.ended(hook.url, { input })
        yield* Facts.untilPhase(id, "Delivered")
        yield* erase(requestId)
        yield* erase(requestId)
        assert.deepStrictEqual(yield* left(id), nothing)
        assert.strictEqual((yield* Facts.delivery(id)).phase._tag, "Delivered")
        assert.strictEqual((yield* Effect.flip(replay(id)))._tag, "BodyErased")
      }).pipe(Effect.provide(layer))
    )
  }

  it.effect("while its webhook is being sent lets that attempt be the last one", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(() => {})
      const { id, requestId } = yield* Facts.ended(hook.url)
      yield* hook.until(1)
      yield* erase(requestId)
      assert.deepStrictEqual(yield* left(id), nothing)
      yield* TestClock.adjust("15 seconds")
      yield* Facts.untilPhase(id, "Failed")
      assert.deepInclude((yield* Facts.events(id)).at(-1), { reason: "erased" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("takes the body of its start as well as that of its end", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const requestId = yield* RequestFacts.submit({
        model: Facts.model,
        webhook: Facts.webhook(hook.url, ["start", "completed"])
      })
      const run = yield* (yield* TestProvider).next
      yield* Facts.begin(run)
      yield* hook.until(1)
      yield* run.ends(succeeded())
      yield* Facts.untilPhase(Facts.idOf(requestId), "Delivered")
      yield* erase(requestId)
      for (const event of ["start", "completed"] as const) {
        assert.deepStrictEqual(yield* left(Facts.idOf(requestId, event)), nothing)
      }
    }).pipe(Effect.provide(layer))
  )
})

/** Nothing is scheduled until the test lets it. */
const unscheduled = Effect.fnUntraced(function* (url: string) {
  const faults = yield* AppendFaults
  faults.decide(({ events }) =>
    events.some(({ type }) => type === "DeliveryScheduled") ? "refused" : "stored"
  )
  return yield* Facts.ended(url, { input: { value: secret } })
})

describe("A request that is erased", () => {
  it.effect("before its webhook is scheduled has its end told without input and output", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const { id, requestId } = yield* unscheduled(hook.url)
      yield* erase(requestId)
      ;(yield* AppendFaults).decide(() => "stored")
      yield* TestClock.adjust("6 seconds")
      yield* Facts.untilPhase(id, "Delivered")
      const { text } = yield* hook.until(1)
      assert.notInclude(text, secret)
      assert.deepInclude(JSON.parse(text), { input: null, output: null, status: "COMPLETED" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("while its webhook is scheduled has nothing of that left, and nothing sent", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const { id, requestId } = yield* unscheduled(hook.url)
      const services = yield* Effect.context<Eraser>()
      let isErased = false
      // The body is made by then, and not on the log yet.
      ;(yield* AppendFaults).decide(({ events }) => {
        if (!isErased && events.some(({ type }) => type === "DeliveryScheduled")) {
          isErased = true
          Effect.runSyncWith(services)(Effect.asVoid(erase(requestId)))
        }
        return "stored"
      })
      yield* TestClock.adjust("6 seconds")
      yield* Facts.untilPhase(id, "Failed")
      yield* Facts.rest
      assert.isTrue(isErased)
      assert.deepStrictEqual(yield* left(id), nothing)
      assert.lengthOf(hook.posted(), 0)
    }).pipe(Effect.provide(layer))
  )
})
