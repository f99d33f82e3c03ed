/** One node keeps each deadline, and the others step in if it does not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { RequestId } from "#domain/Ids.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as Facts from "#test/support/RequestFacts.ts"
import * as TestNode from "#test/support/TestNode.ts"
import { TestProvider } from "#test/support/TestProvider.ts"
import { counted, requestOf, rest, start, wide } from "#test/support/src/features/dispatch/Cluster.ts"

const live = ["a", "b"]

const submit = (name: string) =>
  requestOf(name, { model: wide, live, deadlines: { startTimeoutMs: null, cancelAfterMs: 5_000 } })

const expiry = Effect.fnUntraced(function* (id: RequestId) {
  const [cancelled] = Facts.ofType(yield* Facts.untilEnd(id), "RequestCancelled")
  assert.strictEqual(cancelled?.reason, "expired")
  return cancelled?.at
})

/** Both nodes have looked for deadlines before any exist. */
const started = Effect.gen(function* () {
  const a = yield* start("a")
  const b = yield* start("b")
  yield* rest
  return { a, b }
})

describe("A deadline", () => {
  it.effect("fires on time at its node, whichever accepted the request", () =>
    Effect.gen(function* () {
      const { a, b } = yield* started
      const ids = [yield* a.on(submit("b")), yield* a.on(submit("b"))]
      const tries = yield* counted([a, b], "RequestCancelled")
      yield* TestClock.adjust("5 seconds")
      for (const id of ids) assert.strictEqual(yield* expiry(id), 5_000)
      yield* TestClock.adjust("1 minute")
      yield* rest
      assert.strictEqual(tries(), ids.length)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("fires on time even if its node, which accepted the request, has died", () =>
    Effect.gen(function* () {
      const { a, b } = yield* started
      const id = yield* a.on(submit("a"))
      yield* (yield* (yield* TestProvider).next).does(({ accepted }) => accepted("job"))
      yield* a.crash
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* b.on(expiry(id)), 5_000)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )

  it.effect("that its node misses is handled by another a little later", () =>
    Effect.gen(function* () {
      const { a, b } = yield* started
      const id = yield* b.on(submit("a"))
      yield* Facts.untilType(id, "DispatchStarted")
      yield* a.on(Effect.map(AppendFaults, (faults) => faults.decide(() => "refused")))
      yield* TestClock.adjust("5 seconds")
      yield* rest
      assert.deepStrictEqual(Facts.terminal(yield* Facts.events(id)), [])
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* b.on(expiry(id)), 8_000)
    }).pipe(Effect.provide(TestNode.storeLayer))
  )
})
