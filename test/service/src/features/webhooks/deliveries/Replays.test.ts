/** Replays of one webhook, or of all that failed within a time range. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import { caller } from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const layer = TestNode.layer({ models: [Facts.model], delivers: true })

const start = (name: string) => TestNode.start({ name, models: [Facts.model], delivers: true })

const recover = (since: number, until: number, account?: string) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.recover({ caller: caller(account), since, until })).pipe(
    Effect.provide(Webhooks.layer)
  )

const recorded = (type: string) =>
  Effect.flatMap(EventReader, (reader) =>
    reader.readAll(GlobalPosition.beginning).pipe(
      Stream.filter((event) => event.type === type),
      Stream.runCollect
    )
  )

describe("A replay", () => {
  it.effect("of a delivered webhook sends the same again under the same id, and continues its count", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(id, "Delivered")
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* Facts.replay(id), { status: "pending", attempts: 1, nextAttemptAt: 60_000 })
      const [first, second] = [yield* hook.until(1), yield* hook.until(2)]
      assert.deepStrictEqual([second.id, second.text], [first.id, first.text])
      assert.notStrictEqual(second.headers["webhook-signature"], first.headers["webhook-signature"])
      const again = yield* Facts.untilAttempts(id, 2)
      assert.deepInclude(again, { attempts: 2, deliveredAt: 60_000 })
      assert.deepStrictEqual(
        again.history.map(({ trigger }) => trigger),
        ["schedule", "replay"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a webhook that was given up has ten attempts of its own, on the same schedule", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(410)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilPhase(id, "Failed")
      hook.answerWith(503)
      yield* Facts.replay(id)
      for (let attempt = 1; attempt < 10; attempt++) {
        yield* Facts.untilAttempts(id, attempt + 1)
        yield* Facts.wait(
          attempt,
          Effect.sync(() => assert.lengthOf(hook.posted(), attempt + 1))
        )
      }
      assert.deepInclude(yield* Facts.untilPhase(id, "Failed"), { attempts: 11, used: 10 })
      yield* Facts.passEveryDelay
      assert.lengthOf(hook.posted(), 11)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of a waiting webhook sends it now, and of one in transit is rejected", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(503)
      const { id } = yield* Facts.ended(hook.url)
      yield* Facts.untilAttempts(id, 1)
      hook.answerWith(() => {})
      yield* Facts.replay(id)
      yield* hook.until(2)
      assert.strictEqual((yield* Effect.flip(Facts.replay(id)))._tag, "DeliveryInProgress")
      yield* TestClock.adjust("10 seconds")
      yield* Facts.rest
      assert.lengthOf(hook.posted(), 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("A recovery", () => {
  it.effect("repeats the failed deliveries of its time and account only", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(410)
      const failed: Array<string> = []
      for (let second = 0; second < 4; second++) {
        const { id } = yield* Facts.ended(hook.url)
        yield* Facts.untilPhase(id, "Failed")
        failed.push(id)
        if (second < 3) yield* TestClock.adjust("10 seconds")
      }
      const theirs = yield* Facts.ended(hook.url, { account: "acc_other" })
      yield* Facts.untilPhase(theirs.id, "Failed")
      hook.answerWith(204)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* recover(10_000, 30_000), 2)
      yield* Facts.pass(2)
      yield* hook.until(7)
      yield* Facts.pass(5)
      assert.sameMembers(
        hook
          .posted()
          .slice(5)
          .map(({ id }) => id),
        failed.slice(1, 3)
      )
      for (const id of failed.slice(1, 3)) {
        const { history } = yield* Facts.untilPhase(id, "Delivered")
        assert.strictEqual(history.at(-1)?.trigger, "recover")
      }
      assert.deepInclude((yield* recorded("RecoveryFinished"))[0]?.data, { replayed: 2 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("of several pages sends each once, even when its node is killed in the middle", () =>
    Effect.gen(function* () {
      const count = 430
      const hook = yield* Hook.make(410)
      const first = yield* start("one")
      const failed = yield* first.on(
        Effect.forEach(Array.from({ length: count }), () => Facts.ended(hook.url))
      )
      for (const { id } of failed) yield* Facts.untilPhase(id, "Failed")
      yield* first.on(
        Effect.gen(function* () {
          const faults = yield* AppendFaults
          let left = 250
          faults.decide(({ events }) =>
            events.some(({ type }) => type === "ReplayRequested") && left-- <= 0 ? "refused" : "stored"
          )
          assert.strictEqual(yield* recover(0, 1_000), count)
          yield* Facts.pass(1)
        })
      )
      yield* first.crash
      yield* first.stop
      const sent = (yield* recorded("ReplayRequested")).length
      assert.isAtLeast(sent, 200)
      assert.isBelow(sent, count)
      yield* start("two")
      yield* Facts.pass(6)
      // Refused again, they are not replayed a second time.
      for (const { id } of failed)
        yield* Facts.until(id, ({ attempts, phase }) => attempts === 2 && phase._tag === "Failed")
      assert.lengthOf(yield* recorded("ReplayRequested"), count)
      yield* Facts.pass(3)
      const finished = yield* recorded("RecoveryFinished")
      assert.deepStrictEqual(
        finished.map(({ data }) => data["replayed"]),
        [count - sent]
      )
      assert.lengthOf(hook.posted(), 2 * count)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is continued by a running node that gets the lease", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(410)
      const first = yield* start("one")
      yield* start("two")
      const { id } = yield* first.on(Facts.ended(hook.url))
      yield* Facts.untilPhase(id, "Failed")
      yield* first.on(Facts.refuse("ReplayRequested"))
      yield* first.on(recover(0, 1_000))
      yield* Facts.pass(2)
      assert.lengthOf(yield* recorded("ReplayRequested"), 0)
      hook.answerWith(204)
      yield* first.crash
      yield* first.stop
      yield* TestTime.passDuring(Facts.untilPhase(id, "Delivered"))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("finds a delivery that another node has just given up", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const a = yield* start("a")
      const ids: Array<string> = []
      while (ids.length < 3) {
        const { id, requestId } = yield* a.on(Facts.ended(hook.url))
        yield* Facts.untilAttempts(id, 1)
        if (Rendezvous.first(requestId, ["a", "b"]) === "b") ids.push(id)
      }
      const b = yield* start("b")
      hook.answerWith(410)
      yield* TestClock.adjust("5 seconds")
      for (const id of ids) {
        yield* Facts.untilPhase(id, "Failed")
        const starts = (yield* Facts.events(id)).flatMap((event) =>
          event._tag === "AttemptStarted" ? [event.node] : []
        )
        assert.deepStrictEqual(starts, ["a", "b"])
      }
      hook.answerWith(204)
      yield* b.on(recover(0, 10_000))
      yield* Facts.pass(6)
      for (const id of ids) assert.strictEqual((yield* Facts.delivery(id)).phase._tag, "Delivered")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
