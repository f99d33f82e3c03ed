import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Stream } from "effect"
import * as Account from "#domain/account/Account.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { Funds } from "#src/features/funds/Funds.ts"
import { EventReader, EventStoreError } from "#streams/EventReader.ts"
import { withAppend } from "#streams/EventStore.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { plenty, usd } from "#test/support/TestAccounts.ts"
import * as TestServer from "#test/support/TestServer.ts"
import { assertEnvelope, submit } from "#test/support/src/edges/http/Calls.ts"

/** The accounts are open; every later append ends in this way. */
const failing = (end: Effect.Effect<never, EventStoreError>) => {
  const logged: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void logged.push(String(message)))])
  const server = TestServer.layer({
    log: (store) =>
      withAppend(store, (append) =>
        append.stream.startsWith("InferenceRequest-") ? end : store.append(append)
      )
  })
  return { logged, server, logger }
}

describe("failures", () => {
  it.live("of storage are 503 with Retry-After, and logged without their cause in the answer", () => {
    const { logged, logger, server } = failing(
      Effect.fail(new EventStoreError({ reason: "disk /dev/sda is full" }))
    )
    return Effect.gen(function* () {
      // On the fast path, and on the declared one.
      for (const headers of [{}, { prefer: "wait=1" }, { "idempotency-key": "k" }]) {
        const reply = yield* submit({ value: 1 }, headers)
        assertEnvelope(reply, 503)
        assert.strictEqual(reply.headers["retry-after"], "5")
        assert.notInclude(reply.text, "/dev/sda")
      }
      assert.include(logged.join(), "Storage failed a request")
    }).pipe(Effect.provide(server), Effect.provide(logger))
  })

  it.live("leave no hold and no charge", () => {
    const { logger, server } = failing(Effect.fail(new EventStoreError({ reason: "disk /dev/sda is full" })))
    return Effect.gen(function* () {
      const funds = yield* Funds
      const accountId = Account.accountOf("alpha", ApiKey.sha256Hex)
      const before = funds.of(accountId)
      assert.deepInclude(before, { open: 0, available: usd(plenty) })
      for (const headers of [{}, { prefer: "wait=1" }, { "idempotency-key": "k" }]) {
        assertEnvelope(yield* submit({ value: 1 }, headers), 503)
      }
      yield* funds.caughtUp
      assert.deepStrictEqual(funds.of(accountId), before)
      const events = yield* Stream.runCollect((yield* EventReader).readAll(GlobalPosition.beginning))
      assert.notInclude(
        events.map(({ type }) => type),
        "RequestSubmitted"
      )
    }).pipe(Effect.provide(server), Effect.provide(logger))
  })

  it.live("that are unexpected are answered with 500 and logged", () => {
    const { logged, logger, server } = failing(Effect.die(new Error("a private detail")))
    return Effect.gen(function* () {
      const reply = yield* submit({ value: 1 })
      assertEnvelope(reply, 500)
      assert.deepInclude(reply.json, { error: "Unexpected server error." })
      assert.notInclude(reply.text, "private")
      assert.include(logged.join(), "Unexpected error")
      assertEnvelope(yield* submit({}), 400)
      // OpenAI's API has a form of its own.
      const chat = { model: "sandbox/chat", messages: [{ role: "user", content: "Hi" }] }
      const { json, status } = yield* submit(chat, {}, "v1/chat/completions")
      const error = { message: "Unexpected server error.", type: "server_error", param: null, code: null }
      assert.deepStrictEqual([status, json], [500, { error }])
    }).pipe(Effect.provide(server), Effect.provide(logger))
  })
})
