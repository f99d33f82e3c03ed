/** What is kept of sessions in memory and beyond it, without anybody who calls. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as path from "node:path"
import { unlimited } from "#domain/account/Grant.ts"
import { noLimits } from "#domain/account/Limits.ts"
import { AccountId, KeyId } from "#domain/Ids.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { McpEndpoint } from "#src/mcp/McpEndpoint.ts"
import * as ServedProtocol from "#src/mcp/ServedProtocol.ts"
import { Bounds, Sessions } from "#src/mcp/sessions/Sessions.ts"
import { OAuthDatabase } from "#src/oauth/OAuthDatabase.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as ToolClient from "./ToolClient.ts"

const database = TempDirectory.provide((directory) =>
  OAuthDatabase.layerAt(path.join(directory, "oauth.sqlite"))
)

let keys = 0

/** With a key that no other test has. */
const newCaller = (): Caller => ({
  accountId: AccountId.make("acc_0000000000000000"),
  keyId: KeyId.make(`key-${++keys}`),
  grant: unlimited,
  limits: noLimits,
  isSuperseded: false
})

const initialize = new TextEncoder().encode(JSON.stringify(ToolClient.initialize()))

/** As after a start of the process. `opened` is how many the runtime was asked to open. */
const start = Effect.gen(function* () {
  let opened = 0
  const counted = Layer.effect(
    McpEndpoint,
    Effect.map(McpEndpoint, (endpoint) => ({
      ...endpoint,
      post: (message, tell) =>
        Effect.suspend(() => {
          if (message.session === null) opened++
          return endpoint.post(message, tell)
        })
    }))
  ).pipe(Layer.provide(ServedProtocol.layerOf(Layer.empty)))
  const services = yield* Layer.buildWithMemoMap(
    Sessions.layer.pipe(Layer.provide(counted)),
    yield* Layer.makeMemoMap,
    yield* Effect.scope
  )
  return { ...Context.get(services, Sessions), opened: () => opened }
})

const openOne = (sessions: Sessions["Service"], caller: Caller) =>
  Effect.map(sessions.open(caller, initialize), ({ id }) => id ?? "")

/** Whether the session is there; it is used by that. */
const isThere = (sessions: Sessions["Service"], caller: Caller, id: string) =>
  Effect.map(Effect.result(Effect.scoped(sessions.hold(caller, id))), Result.isSuccess)

const stored = (caller: Caller) =>
  Effect.flatMap(OAuthDatabase, (sql) =>
    Effect.map(sql`SELECT hash FROM mcp_sessions WHERE key_id = ${caller.keyId}`, (rows) => rows.length)
  )

const everybody = () => Effect.succeed(true)

layer(database)("what is kept of sessions", (it) => {
  it.effect("has no id in it, and none that can be guessed from another", () =>
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

  it.effect("opens one again once after a restart, for calls that come together", () =>
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

  it.effect("is not lost when whoever opens one again leaves meanwhile", () =>
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

  it.effect("is dropped when the version that was agreed on is spoken no more", () =>
    Effect.gen(function* () {
      const caller = newCaller()
      const id = yield* openOne(yield* start, caller)
      const sql = yield* OAuthDatabase
      yield* sql`UPDATE mcp_sessions SET protocol_version = '2020-01-01' WHERE key_id = ${caller.keyId}`
      const sessions = yield* start
      assert.isFalse(yield* isThere(sessions, caller, id))
      assert.strictEqual(sessions.size(), 0)
      assert.strictEqual(yield* stored(caller), 0)
    })
  )

  it.effect("leaves memory half an hour after the last use, but with a call under way", () =>
    Effect.gen(function* () {
      const sessions = yield* start
      const caller = newCaller()
      const idle = yield* openOne(sessions, caller)
      const busy = yield* openOne(sessions, caller)
      const call = yield* Scope.make()
      const inner = yield* Scope.provide(sessions.hold(caller, busy), call)
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

  it.effect("is forgotten 30 days after the last use", () =>
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

  it.effect("tells to the hour when it was used last, whatever becomes of the process", () =>
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

  it.effect("tells when it was used last once it has left memory", () =>
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

  it.effect("goes with its owner", () =>
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
    }).pipe(Effect.provideService(Bounds, { ofKey: 3, stored: 1_000, open: 1_000 }))
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
    }).pipe(Effect.provideService(Bounds, { ofKey: 1_000, stored: 1_000, open: 5 }))
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
    }).pipe(Effect.provideService(Bounds, { ofKey: 100, stored: 2, open: 1_000 }))
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
