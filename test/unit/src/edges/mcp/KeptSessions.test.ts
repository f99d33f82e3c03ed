/** Sessions in memory and in storage, without callers. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as path from "node:path"
import { OAuthDatabase } from "#src/edges/oauth/OAuthDatabase.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import {
  everybody,
  isThere,
  newCaller,
  openOne,
  start,
  startOver,
  stored
} from "#test/support/src/edges/mcp/SessionProcess.ts"

const database = TempDirectory.provide((directory) =>
  OAuthDatabase.layerAt(path.join(directory, "oauth.sqlite"))
)

layer(database)("stored sessions", (it) => {
  it.effect("contain no id, and none that can be derived from another", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const ids = [yield* openOne(sessions, caller), yield* openOne(sessions, caller)]
      const sql = yield* OAuthDatabase
      const rows = yield* sql`SELECT * FROM mcp_sessions WHERE key_id = ${caller.keyId}`
      for (const id of ids) {
        assert.match(id, /^[A-Za-z0-9_-]{32}$/)
        assert.notInclude(JSON.stringify(rows), id)
      }
      assert.notStrictEqual(ids[0], ids[1])
    })
  )

  it.effect("are reopened once after a restart, for concurrent calls", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      const sessions = yield* start
      assert.isFalse(yield* isThere(sessions, newCaller(), id))
      assert.strictEqual(sessions.opened(), 0)
      const held = yield* Effect.all(
        Array.from({ length: 50 }, () => sessions.hold(caller, id)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(held).size, 1)
      assert.strictEqual(sessions.opened(), 1)
      assert.isFalse(yield* isThere(sessions, newCaller(), id))
    })
  )

  it.effect("survive a caller that disconnects during a reopening", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      const sessions = yield* start
      const fiber = yield* Effect.forkChild(isThere(sessions, caller, id), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.isTrue(yield* isThere(sessions, caller, id))
      assert.strictEqual(sessions.opened(), 1)
    })
  )

  it.effect("are dropped when their protocol version is no longer supported", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      const sql = yield* OAuthDatabase
      yield* sql`UPDATE mcp_sessions SET protocol_version = '2020-01-01' WHERE key_id = ${caller.keyId}`
      const sessions = yield* start
      assert.isFalse(yield* isThere(sessions, caller, id))
      assert.strictEqual(sessions.size(), 0)
      assert.strictEqual(yield* stored(caller), 0)
      assert.deepStrictEqual([sessions.opened(), sessions.terminated()], [1, 1])
    })
  )

  it.effect("survive a failed reopening", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      let isBroken = true
      const sessions = yield* startOver(() => isBroken)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(isThere(sessions, caller, id))))
      isBroken = false
      assert.isTrue(yield* isThere(sessions, caller, id))
    })
  )

  it.effect("and sessions in memory agree when one could not be stored", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const sessions = yield* start
      const sql = yield* OAuthDatabase
      yield* sql`CREATE TRIGGER full BEFORE INSERT ON mcp_sessions BEGIN SELECT raise(ABORT, 'full'); END`
      const failed = yield* Effect.flip(openOne(sessions, caller))
      yield* sql`DROP TRIGGER full`
      assert.strictEqual(failed._tag, "SqlError")
      assert.strictEqual(sessions.size(), 0)
      assert.deepStrictEqual([sessions.opened(), sessions.terminated()], [1, 1])
    })
  )

  it.effect("and sessions in memory agree when a caller disconnects while opening one", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const sessions = yield* start
      const fiber = yield* Effect.forkChild(openOne(sessions, caller), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual([sessions.opened(), sessions.terminated(), sessions.size()], [1, 0, 1])
      assert.strictEqual(yield* stored(caller), 1)
    })
  )

  it.effect("are ended for good, even while being reopened", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      const sessions = yield* start
      const opening = yield* Effect.forkChild(isThere(sessions, caller, id), { startImmediately: true })
      yield* sessions.end(caller, id)
      yield* Fiber.join(opening)
      assert.isFalse(yield* isThere(sessions, caller, id))
      assert.strictEqual(sessions.size(), 0)
    })
  )

  it.effect("leave memory half an hour after the last use, unless a call is running", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const busy = yield* openOne(sessions, caller)
      const call = yield* Scope.make()
      const inner = yield* Scope.provide(sessions.hold(caller, busy), call)
      const idle = yield* openOne(sessions, caller)
      yield* TestClock.adjust("30 minutes")
      yield* sessions.letGo
      assert.strictEqual(sessions.size(), 2)
      yield* TestClock.adjust("1 millis")
      yield* sessions.letGo
      assert.strictEqual(sessions.size(), 1)
      assert.strictEqual(yield* Effect.scoped(sessions.hold(caller, busy)), inner)
      assert.isTrue(yield* isThere(sessions, caller, idle))
      assert.strictEqual(sessions.opened(), 3)
    })
  )

  it.effect("are deleted 30 days after the last use", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const sessions = yield* start
      const id = yield* openOne(sessions, caller)
      for (let use = 0; use < 2; use++) {
        yield* TestClock.adjust("29 days")
        yield* Effect.andThen(sessions.letGo, sessions.expire(everybody))
        assert.isTrue(yield* isThere(sessions, caller, id))
      }
      yield* TestClock.adjust("30 days")
      yield* Effect.andThen(sessions.letGo, sessions.expire(everybody))
      assert.isTrue(yield* isThere(sessions, caller, id))
      yield* TestClock.adjust("31 days")
      yield* Effect.andThen(sessions.letGo, sessions.expire(everybody))
      assert.isFalse(yield* isThere(sessions, caller, id))
    })
  )

  it.effect("have the time of their last use to the hour, even after a crash", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const before = yield* start
      const id = yield* openOne(before, caller)
      yield* TestClock.adjust("2 hours")
      assert.isTrue(yield* isThere(before, caller, id))
      yield* TestClock.adjust("719 hours")
      const sessions = yield* start
      yield* sessions.expire(everybody)
      assert.isTrue(yield* isThere(sessions, caller, id))
    })
  )

  it.effect("have the time of their last use once they have left memory", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const sessions = yield* start
      const id = yield* openOne(sessions, caller)
      yield* TestClock.adjust("59 minutes")
      assert.isTrue(yield* isThere(sessions, caller, id))
      yield* TestClock.adjust("31 minutes")
      yield* sessions.letGo
      yield* TestClock.adjust("719 hours")
      yield* sessions.expire(everybody)
      assert.isTrue(yield* isThere(sessions, caller, id))
    })
  )

  it.effect("are deleted with their owner", () =>
    Effect.gen(function* () {
      const [caller, other] = [newCaller(), newCaller()]
      const sessions = yield* start
      const id = yield* openOne(sessions, caller)
      const others = yield* openOne(sessions, other)
      yield* sessions.expire(({ keyId }) => Effect.succeed(keyId !== caller.keyId))
      assert.isFalse(yield* isThere(sessions, caller, id))
      assert.isTrue(yield* isThere(sessions, other, others))
    })
  )
})
