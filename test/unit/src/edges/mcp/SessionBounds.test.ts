import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Bounds } from "#src/edges/mcp/sessions/Sessions.ts"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import {
  assertGone,
  assertThere,
  everybody,
  isThere,
  newCaller,
  openAndUse,
  openOne,
  start,
  stored
} from "#test/support/src/edges/mcp/SessionProcess.ts"

const plenty = { ofAccount: 1_000, inAll: 1_000 }

layer(OAuthDatabase.layerAt(":memory:"))("a server with more sessions than its limit", (it) => {
  it.effect("removes the least recently used session of a key", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const [caller, other] = [newCaller(), newCaller()]
      const others = yield* openOne(sessions, other)
      const [first = "", second = "", third = ""] = yield* Effect.replicateEffect(
        Effect.andThen(TestClock.adjust("1 second"), openOne(sessions, caller)),
        3
      )
      yield* assertThere(sessions, caller, [first])
      const fourth = yield* openOne(sessions, caller)
      yield* assertGone(sessions, caller, [second])
      yield* assertThere(sessions, caller, [first, third, fourth])
      yield* assertThere(sessions, other, [others])
    }).pipe(Effect.provideService(Bounds, { ofKey: 3, stored: 1_000, open: plenty }))
  )

  it.effect("removes no session of a key while its call is running", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const busy = yield* openOne(sessions, caller)
      yield* sessions.hold(caller, busy)
      yield* TestClock.adjust("1 second")
      const idle = yield* openOne(sessions, caller)
      yield* TestClock.adjust("1 second")
      yield* openOne(sessions, caller)
      yield* assertThere(sessions, caller, [busy])
      yield* assertGone(sessions, caller, [idle])
    }).pipe(Effect.provideService(Bounds, { ofKey: 2, stored: 1_000, open: plenty }))
  )

  it.effect("drops an older session from memory later if it was used since", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const used = yield* openOne(sessions, caller)
      const unused = yield* openOne(sessions, caller)
      yield* assertThere(sessions, caller, [used])
      yield* openOne(sessions, caller)
      yield* assertThere(sessions, caller, [used])
      assert.strictEqual(sessions.opened(), 3)
      yield* assertThere(sessions, caller, [unused])
      assert.strictEqual(sessions.opened(), 4)
    }).pipe(Effect.provideService(Bounds, { ofKey: 1_000, stored: 1_000, open: { ...plenty, inAll: 2 } }))
  )

  it.effect("removes first the sessions of a key that were never called", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const idle = yield* openAndUse(sessions, caller)
      yield* TestClock.adjust("1 hour")
      const [dropped, another] = [yield* openOne(sessions, caller), yield* openOne(sessions, caller)]
      yield* TestClock.adjust("10 seconds")
      const [first, second] = [yield* openOne(sessions, caller), yield* openOne(sessions, caller)]
      yield* assertGone(sessions, caller, [dropped, another])
      yield* assertThere(sessions, caller, [idle, first, second])
    }).pipe(Effect.provideService(Bounds, { ofKey: 3, stored: 1_000, open: plenty }))
  )

  it.effect("gives a client 10 s to call before its session counts as abandoned", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const idle = yield* openAndUse(sessions, caller)
      yield* TestClock.adjust("1 hour")
      const opened = yield* openOne(sessions, caller)
      yield* TestClock.adjust("9999 millis")
      const other = yield* openOne(sessions, caller)
      yield* assertGone(sessions, caller, [idle])
      yield* assertThere(sessions, caller, [opened, other])
    }).pipe(Effect.provideService(Bounds, { ofKey: 2, stored: 1_000, open: plenty }))
  )

  it.effect("knows after a restart which were called, even in the millisecond of their opening", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const before = yield* start
      const called = yield* openAndUse(before, caller)
      const reopened = yield* openOne(before, caller)
      yield* TestClock.adjust("31 minutes")
      yield* before.letGo
      yield* assertThere(before, caller, [reopened])
      const dropped = yield* openOne(before, caller)
      yield* TestClock.adjust("31 minutes")
      yield* before.letGo
      const sessions = yield* start
      yield* openOne(sessions, caller)
      yield* assertGone(sessions, caller, [dropped])
      yield* assertThere(sessions, caller, [called, reopened])
    }).pipe(Effect.provideService(Bounds, { ofKey: 3, stored: 1_000, open: plenty }))
  )

  it.effect("knows of a running or finished call before it is written", () =>
    Effect.gen(function* () {
      const sql = yield* OAuthDatabase
      const sessions = yield* start
      const caller = newCaller()
      const idle = yield* openAndUse(sessions, caller)
      const called = yield* openOne(sessions, caller)
      yield* TestClock.adjust("11 seconds")
      yield* sql`CREATE TRIGGER no_uses BEFORE UPDATE ON mcp_sessions BEGIN SELECT raise(ABORT, 'full'); END`
      const left = yield* Effect.scoped(
        Effect.andThen(sessions.hold(caller, called), openOne(sessions, caller))
      )
      yield* TestClock.adjust("11 seconds")
      yield* openOne(sessions, caller)
      yield* sql`DROP TRIGGER no_uses`
      yield* assertGone(sessions, caller, [idle, left])
      yield* assertThere(sessions, caller, [called])
    }).pipe(Effect.provideService(Bounds, { ofKey: 2, stored: 1_000, open: plenty }))
  )

  it.effect("knows the last use of sessions that do not fit in memory", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const used = yield* openAndUse(sessions, caller)
      yield* TestClock.adjust("1 minute")
      const idle = yield* openAndUse(sessions, caller)
      yield* TestClock.adjust("1 minute")
      yield* assertThere(sessions, caller, [used])
      const another = yield* openOne(sessions, caller)
      yield* assertGone(sessions, caller, [idle])
      yield* assertThere(sessions, caller, [used, another])
      assert.strictEqual(sessions.size(), 1)
    }).pipe(Effect.provideService(Bounds, { ofKey: 2, stored: 1_000, open: { ofAccount: 1, inAll: 1_000 } }))
  )

  it.effect("drops the least recently used sessions from memory first, and reloads them", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const ids = yield* Effect.replicateEffect(openOne(sessions, caller), 20)
      assert.strictEqual(sessions.size(), 5)
      yield* assertThere(sessions, caller, ids)
      assert.strictEqual(sessions.size(), 5)
      assert.strictEqual(sessions.opened(), 40)
    }).pipe(Effect.provideService(Bounds, { ofKey: 1_000, stored: 1_000, open: { ...plenty, inAll: 5 } }))
  )

  it.effect("drops sessions of the same account, under any key, before those of another", () =>
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
      yield* assertThere(sessions, other, [others])
      assert.strictEqual(sessions.opened(), 7)
      for (const { caller, id } of ids) yield* assertThere(sessions, caller, [id])
      yield* assertThere(sessions, other, [others])
      assert.strictEqual(sessions.size(), 4)
      assert.strictEqual(sessions.opened(), 13)
    }).pipe(
      Effect.provideService(Bounds, { ofKey: 100, stored: 1_000, open: { ofAccount: 3, inAll: 1_000 } })
    )
  )

  it.effect("serves all sessions that return at once, even beyond the room in memory", () =>
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

  it.effect("deletes the oldest beyond the total limit", () =>
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

layer(OAuthDatabase.layerAt(":memory:"))("320 sessions that are opened and abandoned", (it) => {
  it.effect("leave at most 300 of a key, and none in memory after half an hour", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      yield* Effect.replicateEffect(
        Effect.andThen(TestClock.adjust("1 millis"), openOne(sessions, caller)),
        320,
        { discard: true }
      )
      assert.strictEqual(sessions.size(), 300)
      assert.strictEqual(yield* stored(caller), 300)
      yield* TestClock.adjust("31 minutes")
      yield* sessions.letGo
      assert.strictEqual(sessions.size(), 0)
    })
  )
})
