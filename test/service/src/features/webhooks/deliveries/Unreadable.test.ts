/** Damaged events, and events of another release, do not delay other webhooks. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { codec, RecoveryRequested } from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { AccountId } from "#domain/Ids.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import { EventStore } from "#streams/EventStore.ts"
import * as ExpectedVersion from "#streams/ExpectedVersion.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as StreamName from "#streams/StreamName.ts"
import { eventData } from "#test/support/EventFixtures.ts"
import * as RequestFacts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const start = (name: string) => TestNode.start({ name, models: [Facts.model], delivers: true })

/** This release cannot read the event. */
const makeUnreadable = Effect.fnUntraced(function* (id: string) {
  yield* (yield* EventStore).append({
    stream: Facts.streamOf(id),
    expected: ExpectedVersion.Any,
    events: [{ ...eventData(`future of ${id}`, "DeliveryTeleported"), time: 0 }]
  })
})

describe("Webhooks are scheduled, sent and sent again", () => {
  it.effect("despite unreadable requests", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const first = yield* start("one")
      yield* first.on(Facts.refuse("DeliveryScheduled"))
      const broken = yield* first.on(Facts.ended(hook.url))
      yield* first.stop
      yield* RequestFacts.makeUnreadable(broken.requestId)
      const second = yield* start("two")
      const { id } = yield* second.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      hook.answerWith(204)
      yield* Facts.pass(6)
      assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { deliveredAt: 5_000 })
      assert.deepStrictEqual(yield* Facts.events(broken.id), [])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("despite unreadable deliveries", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const first = yield* start("one")
      const broken = yield* first.on(Effect.forEach([1, 2, 3, 4, 5], () => Facts.ended(hook.url)))
      for (const { id } of broken) yield* Facts.untilAttempts(id, 1)
      yield* first.stop
      for (const { id } of broken) yield* makeUnreadable(id)
      const second = yield* start("two")
      const { id } = yield* second.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      hook.answerWith(204)
      yield* Facts.pass(6)
      assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { deliveredAt: 5_000 })
      const last = yield* second.on(Facts.ended(hook.url))
      assert.deepInclude(yield* Facts.untilPhase(last.id, "Delivered"), { attempts: 1 })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("of requests with a damaged payload, late and without it", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const first = yield* start("one")
      yield* first.on(Facts.refuse("DeliveryScheduled"))
      const input = { value: "x".repeat(inlineLimit + 1) }
      const { id, requestId } = yield* first.on(Facts.ended(hook.url, { input }))
      yield* first.stop
      const { accountId, payloads } = yield* RequestFacts.untilType(requestId, "RequestSubmitted")
      const key = `payloads/${accountId}/InferenceRequest-${requestId}/input-${payloads.input.hash}`
      assert.isNotNull(yield* (yield* BlobStore).size(key))
      yield* (yield* BlobStore).put(key, Buffer.from("{}"))
      yield* start("two")
      yield* Facts.pass(59)
      assert.deepStrictEqual(yield* Facts.events(id), [])
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered")), { attempts: 1 })
      assert.deepInclude(JSON.parse((yield* hook.until(1)).text), {
        id: requestId,
        status: "COMPLETED",
        billingStatus: "charged",
        input: null,
        output: null
      })
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("despite unreadable recoveries", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(410)
      const first = yield* start("one")
      const many = yield* first.on(Effect.replicateEffect(Facts.ended(hook.url), 200))
      for (const { id } of many) yield* Facts.untilPhase(id, "Failed")
      const other = yield* first.on(Facts.ended(hook.url, { account: "acc_other" }))
      yield* Facts.untilPhase(other.id, "Failed")
      yield* first.stop
      const store = yield* EventStore
      for (const [accountId, isUnreadable] of [
        ["acc_other", true],
        ["acc_default", false]
      ] as const) {
        const requested = RecoveryRequested.make({
          at: 0,
          accountId: AccountId.make(accountId),
          since: 0,
          until: 1_000_000
        })
        yield* store.append({
          stream: StreamName.make("DeliveryRecovery", `of-${accountId}`),
          expected: ExpectedVersion.NoStream,
          events: [
            { id: `asked of ${accountId}`, ...codec.encode(requested) },
            ...(isUnreadable ? [eventData(`future of ${accountId}`, "RecoveryTeleported")] : [])
          ]
        })
      }
      hook.answerWith(204)
      yield* start("two")
      yield* Facts.pass(6)
      for (const { id } of many) {
        assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { attempts: 2 })
      }
      const finished = yield* Stream.runCollect(
        Stream.filter(
          (yield* EventReader).readAll(GlobalPosition.beginning),
          ({ type }) => type === "RecoveryFinished"
        )
      )
      assert.lengthOf(finished, 1)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("to a receiver with missing bodies; those deliveries are given up after a while", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const node = yield* start("one")
      const input = { value: "x".repeat(inlineLimit + 1) }
      const broken = yield* node.on(
        Effect.forEach([1, 2, 3, 4, 5, 6], () => Facts.ended(hook.url, { input }))
      )
      for (const { id } of broken) {
        const { scheduled } = yield* Facts.untilAttempts(id, 1)
        const key = `payloads/${scheduled.accountId}/${Facts.streamOf(id)}/body-${scheduled.payloads.body.hash}`
        yield* (yield* BlobStore).remove(key)
      }
      const { id } = yield* node.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      hook.answerWith(204)
      assert.deepInclude(yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered")), { attempts: 2 })
      yield* Facts.pass(60)
      for (const { id } of broken) {
        assert.deepInclude(yield* Facts.untilPhase(id, "Failed"), { attempts: 1 })
        assert.deepInclude((yield* Facts.events(id)).at(-1), {
          _tag: "DeliveryFailed",
          reason: "body_damaged"
        })
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
