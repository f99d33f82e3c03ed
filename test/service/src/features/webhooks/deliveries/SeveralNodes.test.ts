/** Several nodes send the webhooks of one log: each event once, even when nodes join and leave. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { DeliveryActors } from "#src/features/webhooks/DeliveryActors.ts"
import { Payloads } from "#streams/Payload.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { counted } from "#test/support/src/features/dispatch/Cluster.ts"
import * as Facts from "#test/support/src/features/webhooks/deliveries/DeliveryFacts.ts"
import * as Hook from "#test/support/src/features/webhooks/deliveries/Hook.ts"
import * as TestTime from "#test/support/TestTime.ts"

const start = (name: string) => TestNode.start({ name, models: [Facts.model], delivers: true })

/** The nodes that claimed the delivery, in order. */
const claimants = (id: string) =>
  Effect.map(Facts.events(id), (all) =>
    all.flatMap((event) => (event._tag === "AttemptStarted" ? [event.node] : []))
  )

const idsOf = (hook: Hook.Hook) => hook.posted().map(({ id }) => id)

const count = 30

const endedAll = (node: TestNode.TestNode, url: string) =>
  node.on(Effect.forEach(Array.from({ length: count }), () => Facts.ended(url)))

describe("Several nodes", () => {
  it.effect("send each event once, share the work, and rarely race", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const nodes = [yield* start("a"), yield* start("b"), yield* start("c")] as const
      const schedules = yield* counted(nodes, "DeliveryScheduled")
      const all = yield* endedAll(nodes[0], hook.url)
      for (const { id } of all) yield* Facts.untilAttempts(id, 1)
      assert.isAtMost(schedules(), count + 3)
      const claims = yield* counted(nodes, "AttemptStarted")
      hook.answerWith(204)
      yield* TestClock.adjust("5 seconds")
      for (const { id } of all) yield* Facts.untilPhase(id, "Delivered")
      yield* Facts.rest
      assert.isAtMost(claims(), count + 3)
      const ids = all.map(({ id }) => id)
      assert.sameMembers(idsOf(hook).slice(0, count), ids)
      assert.sameMembers(idsOf(hook).slice(count), ids)
      const claimed = (yield* Effect.forEach(ids, claimants)).flat()
      assert.deepStrictEqual([...new Set(claimed)].sort(), ["a", "b", "c"])
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that claim it at once claim an attempt once", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const a = yield* start("a")
      const { id } = yield* a.on(Facts.ended(hook.url))
      yield* Facts.untilAttempts(id, 1)
      yield* a.stop
      yield* TestClock.adjust("10 seconds")
      const actorsOf = (name: string) =>
        Effect.flatMap(TestNode.start({ name, models: [Facts.model] }), ({ on }) => on(DeliveryActors))
      const nodes = yield* Effect.forEach(["b", "c", "d"], actorsOf)
      const claims = yield* Effect.forEach(
        nodes,
        (actors, index) =>
          Effect.result(actors.execute(id, { _tag: "StartAttempt", at: 10_000, node: `node ${index}` })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(claims.map(({ _tag }) => _tag).sort(), ["Failure", "Failure", "Success"])
      assert.lengthOf(yield* claimants(id), 2)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("take over the deliveries of a dead one, one node each, at their next attempt", () =>
    Effect.gen(function* () {
      const hooks = yield* Effect.replicateEffect(
        Hook.make(() => {}),
        4
      )
      const c = yield* start("c")
      const all: Array<{ readonly id: string; readonly requestId: RequestId }> = []
      for (const hook of hooks) {
        all.push(yield* c.on(Facts.ended(hook.url)))
        yield* hook.until(1)
      }
      const nodes = [yield* start("a"), yield* start("b")]
      const losses = yield* counted(nodes, "AttemptLost")
      yield* Facts.rest
      yield* c.crash
      for (const { id } of all) {
        const { phase } = yield* Facts.untilPhase(id, "Pending")
        assert.deepInclude(phase, { nextAttemptAt: 5_000 })
      }
      yield* Facts.rest
      assert.strictEqual(losses(), 4)
      for (const hook of hooks) hook.answerWith(204)
      yield* TestClock.adjust(4_999)
      yield* Facts.rest
      for (const hook of hooks) assert.lengthOf(hook.posted(), 1)
      yield* TestClock.adjust(1)
      for (const { id, requestId } of all) {
        assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { attempts: 2 })
        const heir = Rendezvous.first(requestId, ["a", "b"]) ?? "nobody"
        assert.deepStrictEqual(yield* claimants(id), ["c", heir])
      }
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("count nothing twice when one was only disconnected during an attempt", () =>
    Effect.gen(function* () {
      const answers: Array<() => void> = []
      const hook = yield* Hook.make((response) => answers.push(() => response.writeHead(204).end()))
      const a = yield* start("a")
      const { id } = yield* a.on(Facts.ended(hook.url))
      yield* hook.until(1)
      yield* start("b")
      yield* a.crash
      yield* Facts.untilPhase(id, "Pending")
      yield* a.revive
      answers.shift()?.()
      yield* Facts.pass(2)
      assert.deepInclude(yield* Facts.delivery(id), { attempts: 1, deliveredAt: null })
      yield* TestClock.adjust("3 seconds")
      yield* hook.until(2)
      answers.shift()?.()
      assert.deepInclude(yield* Facts.untilPhase(id, "Delivered"), { attempts: 2 })
      assert.lengthOf(hook.posted(), 2)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that restart in every wait send each attempt on time, and once", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      let nodes = [yield* start("a"), yield* start("b")]
      const [first] = nodes
      if (first === undefined) return assert.fail("no node")
      const all = yield* first.on(Effect.forEach([1, 2, 3], () => Facts.ended(hook.url)))
      const times = [0]
      for (let attempt = 1; attempt < 10; attempt++) {
        for (const { id } of all) yield* Facts.untilAttempts(id, attempt)
        const due = (times.at(-1) ?? 0) + Facts.delayAfter(attempt)
        yield* TestClock.adjust(1_000)
        const [oldest, ...others] = nodes
        if (oldest !== undefined) {
          if (attempt % 2 === 0) yield* oldest.crash
          yield* oldest.stop
        }
        nodes = [...others, yield* start(`n${attempt}`)]
        yield* TestClock.adjust(Facts.delayAfter(attempt) - 1_001)
        yield* Facts.rest
        assert.lengthOf(hook.posted(), attempt * 3)
        // One node has the turn; the others follow if it is stuck.
        yield* TestClock.adjust(1)
        times.push(due)
      }
      for (const { id } of all) {
        assert.strictEqual((yield* Facts.untilAttempts(id, 10)).phase._tag, "Failed")
        assert.deepStrictEqual(Facts.startsOf(yield* Facts.events(id)), times)
      }
      assert.lengthOf(hook.posted(), 30)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("take over the deliveries of one that hangs", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make(500)
      const a = yield* start("a")
      yield* start("b")
      const all = yield* endedAll(a, hook.url)
      for (const { id } of all) yield* Facts.untilAttempts(id, 1)
      yield* a.on(Effect.map(AppendFaults, (faults) => faults.decide(() => "refused")))
      hook.answerWith(204)
      yield* TestTime.passDuring(Effect.forEach(all, ({ id }) => Facts.untilPhase(id, "Delivered")))
      assert.lengthOf(hook.posted(), 2 * count)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})

describe("The text of a body", () => {
  it.effect("is dropped by every node when one erases it", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const a = yield* start("a")
      const b = yield* start("b")
      const { id, requestId } = yield* a.on(Facts.ended(hook.url, { input: { value: "jane" } }))
      const { scheduled } = yield* Facts.untilPhase(id, "Delivered")
      const open = Effect.result(
        Effect.flatMap(Payloads, (payloads) =>
          payloads.open(Facts.streamOf(id), "body", scheduled.payloads.body)
        )
      )
      for (const node of [a, b]) assert.isTrue(Result.isSuccess(yield* node.on(open)))
      yield* a.on(Effect.flatMap(Eraser, (eraser) => eraser.erase(requestId, "requested")))
      yield* Facts.rest
      for (const node of [a, b]) assert.isTrue(Result.isFailure(yield* node.on(open)))
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("is dropped on a node that has never sent anything", () =>
    Effect.gen(function* () {
      const hook = yield* Hook.make()
      const a = yield* start("a")
      const b = yield* TestNode.start({ name: "b", models: [Facts.model], dispatches: false })
      const { id, requestId } = yield* a.on(Facts.ended(hook.url))
      yield* Facts.untilPhase(id, "Delivered")
      yield* b.on(Effect.flatMap(Eraser, (eraser) => eraser.erase(requestId, "requested")))
      assert.include(yield* Facts.types(id), "PayloadsErased")
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
