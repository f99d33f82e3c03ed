import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bounds } from "#src/mcp/sessions/Sessions.ts"
import { OAuthDatabase } from "#src/oauth/OAuthDatabase.ts"
import { everybody, isThere, newCaller, openOne, start, stored } from "./SessionProcess.ts"

const plenty = { ofAccount: 1_000, inAll: 1_000 }

layer(OAuthDatabase.layerAt(":memory:"))("of more sessions than there is room for, the server", (it) => {
  it.effect("makes room of a key for another by the one that was used least lately", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const [caller, other] = [newCaller(), newCaller()]
      const others = yield* openOne(sessions, other)
      const [first = "", second = "", third = ""] = yield* Effect.replicateEffect(
        Effect.andThen(TestClock.adjust("1 second"), openOne(sessions, caller)),
        3
      )
      assert.isTrue(yield* isThere(sessions, caller, first))
      const fourth = yield* openOne(sessions, caller)
      assert.isFalse(yield* isThere(sessions, caller, second))
      for (const id of [first, third, fourth]) assert.isTrue(yield* isThere(sessions, caller, id))
      assert.isTrue(yield* isThere(sessions, other, others))
    }).pipe(Effect.provideService(Bounds, { ofKey: 3, stored: 1_000, open: plenty }))
  )

  it.effect("lets those go from memory first that were used least lately, and brings them back", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const ids = yield* Effect.replicateEffect(openOne(sessions, caller), 20)
      assert.strictEqual(sessions.size(), 5)
      for (const id of ids) assert.isTrue(yield* isThere(sessions, caller, id))
      assert.strictEqual(sessions.size(), 5)
      assert.strictEqual(sessions.opened(), 40)
    }).pipe(Effect.provideService(Bounds, { ofKey: 1_000, stored: 1_000, open: { ...plenty, inAll: 5 } }))
  )

  it.effect("lets go of an account, whatever the key, before it lets go of another", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const other = newCaller("acc_1111111111111111")
      const others = yield* openOne(sessions, other)
      const ids = yield* Effect.replicateEffect(
        Effect.suspend(() => {
          const caller = newCaller()
          return Effect.map(openOne(sessions, caller), (id) => ({ caller, id }))
        }),
        6
      )
      assert.strictEqual(sessions.size(), 4)
      assert.isTrue(yield* isThere(sessions, other, others))
      assert.strictEqual(sessions.opened(), 7)
      for (const { caller, id } of ids) assert.isTrue(yield* isThere(sessions, caller, id))
      assert.isTrue(yield* isThere(sessions, other, others))
      assert.strictEqual(sessions.size(), 4)
      assert.strictEqual(sessions.opened(), 13)
    }).pipe(
      Effect.provideService(Bounds, { ofKey: 100, stored: 1_000, open: { ofAccount: 3, inAll: 1_000 } })
    )
  )

  it.effect("holds each of those that come back at once, though there is no room for all of them", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const ids = yield* Effect.replicateEffect(openOne(sessions, caller), 10)
      const held = yield* Effect.all(
        ids.map((id) => sessions.hold(caller, id)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(held).size, 10)
      assert.strictEqual(sessions.size(), 10)
      const again = yield* Effect.forEach(ids, (id) => Effect.scoped(sessions.hold(caller, id)))
      assert.deepStrictEqual(again, held)
    }).pipe(Effect.provideService(Bounds, { ofKey: 100, stored: 1_000, open: { ofAccount: 2, inAll: 5 } }))
  )

  it.effect("forgets the oldest beyond what may be stored in all", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const ids = yield* Effect.forEach([newCaller(), newCaller(), newCaller()], (caller) =>
        Effect.andThen(
          TestClock.adjust("1 second"),
          Effect.map(openOne(sessions, caller), (id) => ({ caller, id }))
        )
      )
      yield* sessions.expire(everybody)
      const there = yield* Effect.forEach(ids, ({ caller, id }) => isThere(sessions, caller, id))
      assert.deepStrictEqual(there, [false, true, true])
    }).pipe(Effect.provideService(Bounds, { ofKey: 100, stored: 2, open: plenty }))
  )
})

layer(OAuthDatabase.layerAt(":memory:"))("of 2,000 sessions that are opened and dropped", (it) => {
  it.effect("no more than 100 of a key are kept, and none in memory after half an hour", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      for (let i = 0; i < 2_000; i++) yield* openOne(sessions, caller)
      assert.strictEqual(sessions.size(), 100)
      assert.strictEqual(yield* stored(caller), 100)
      yield* TestClock.adjust("31 minutes")
      yield* sessions.letGo
      assert.strictEqual(sessions.size(), 0)
    })
  )
})
