import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Authentication } from "#src/features/accounts/Authentication.ts"
import * as ConsoleBrowser from "#test/support/src/edges/console/ConsoleBrowser.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as Streams from "#test/support/src/edges/http/Streams.ts"

/** For a stream without events, on an empty history. */
const opened = "retry: 2000\n\n: up to here\nid: 0\n\n"

describe("an open stream", () => {
  it.effect("sends a comment every 15 s", () =>
    Effect.gen(function* () {
      const client = yield* Streams.stream()
      yield* client.until((client) => client.body() === opened)
      yield* TestClock.adjust("15 seconds")
      yield* client.until((client) => client.body() === `${opened}: keep-alive\n\n`)
      yield* TestClock.adjust("15 seconds")
      yield* client.until((client) => client.body() === `${opened}: keep-alive\n\n: keep-alive\n\n`)
    }).pipe(Effect.provide(Streams.layer()), Effect.scoped)
  )

  it.effect("ends within 5 s of its key, and no other stream does", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "second" })
      const other = yield* Streams.stream()
      const client = yield* Streams.stream("/requests/stream", {
        authorization: `Key ${ApiKey.format(issued)}`
      })
      yield* accounts.revokeKey(issued.keyId)
      yield* TestClock.adjust("5 seconds")
      yield* client.closed
      yield* TestClock.adjust("10 seconds")
      yield* other.until((client) => client.body().includes(": keep-alive"))
      assert.isFalse(other.isClosed())
    }).pipe(Effect.provide(Streams.layer()), Effect.scoped)
  )

  it.effect("ends within 5 s of the session of the console that it was opened in", () =>
    Effect.gen(function* () {
      const { key, port } = yield* TestServer.TestServer
      const browser = ConsoleBrowser.make(port)
      assert.strictEqual((yield* browser.signIn({ api_key: key })).status, 200)
      const cookie = [...browser.jar].map((pair) => pair.join("=")).join("; ")
      const client = yield* Streams.stream("/console/api/requests/stream", { cookie, authorization: "" })
      yield* client.until((client) => client.body() === opened)
      yield* TestClock.adjust("5 seconds")
      assert.isFalse(client.isClosed())
      yield* browser.call({ method: "DELETE", path: "/console/session?kind=account" })
      yield* TestClock.adjust("5 seconds")
      yield* client.closed
    }).pipe(Effect.provide(Streams.layer()), Effect.scoped)
  )

  it.effect("that was opened with a previous secret ends when that secret expires", () =>
    Effect.gen(function* () {
      const { key } = yield* TestServer.TestServer
      const accounts = yield* Accounts
      const { accountId } = yield* (yield* Authentication).authenticate(key)
      const issued = yield* accounts.issueKey({ accountId, name: "rotated" })
      const rotated = yield* accounts.rotateKey({ keyId: issued.keyId, graceMs: 20_000 })
      const [before, now] = yield* Effect.forEach([issued, rotated.key], (key) =>
        Streams.stream("/requests/stream", { authorization: `Key ${ApiKey.format(key)}` })
      )
      yield* TestClock.adjust("15 seconds")
      yield* before?.until((client) => client.body().includes(": keep-alive")) ?? Effect.void
      yield* TestClock.adjust("10 seconds")
      yield* before?.closed ?? Effect.void
      yield* TestClock.adjust("10 seconds")
      yield* now?.until((client) => client.body().split(": keep-alive").length === 3) ?? Effect.void
      assert.isFalse(now?.isClosed())
    }).pipe(Effect.provide(Streams.layer()), Effect.scoped)
  )
})
