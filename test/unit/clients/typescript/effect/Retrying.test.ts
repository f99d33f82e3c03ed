/** When the client for Effect repeats a call, with answers that are written here. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Redacted, Schedule } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import type { HttpClientRequest } from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { TestClock } from "effect/testing"
import * as Inferlog from "#clients/typescript/effect/Client.ts"

const refusal = (status: number, retryAfter?: string) =>
  new Response(
    JSON.stringify({ error: "Not now.", request_id: "call_1", details: { code: "RATE_LIMITED" } }),
    {
      status,
      headers: {
        "content-type": "application/json",
        ...(retryAfter !== undefined && { "retry-after": retryAfter })
      }
    }
  )

const balance = () =>
  Response.json({
    balance: "1",
    reserved: "0",
    available: "1",
    creditLimit: "0",
    currency: "USD",
    updatedAt: null
  })

/** Answers one after the other, the last one for ever. */
const scripted = (...answers: ReadonlyArray<() => Response>) => {
  const sent: Array<{ readonly request: HttpClientRequest; readonly at: number; readonly url: string }> = []
  const client = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (at) => {
      sent.push({ request, at, url: url.href })
      const answer = answers[Math.min(sent.length, answers.length) - 1] ?? balance
      return HttpClientResponse.fromWeb(request, answer())
    })
  )
  const make = (options: Partial<Inferlog.Options> = {}) =>
    Inferlog.make({ url: "http://inferlog.test/base", key: Redacted.make("id:secret"), ...options }).pipe(
      Effect.provideService(HttpClient.HttpClient, client)
    )
  return { sent, make }
}

const submit = { params: { ownerName: "a", modelName: "b" }, query: {}, headers: {}, payload: {} }
const hour = TestClock.adjust("1 hour")

describe("the client for Effect", () => {
  it.effect("waits as long as Retry-After says, and not shorter than its schedule", () =>
    Effect.gen(function* () {
      const { make, sent } = scripted(
        () => refusal(429, "7"),
        () => refusal(503),
        balance
      )
      const { account } = yield* make()
      const fiber = yield* Effect.forkChild(account.getBalance())
      yield* hour
      assert.strictEqual((yield* Fiber.join(fiber)).available, "1")
      const pauses = sent.slice(1).map(({ at }, index) => at - (sent[index]?.at ?? 0))
      assert.isTrue(Number(pauses[0]) >= 7_000 && Number(pauses[0]) <= 7_250, String(pauses[0]))
      assert.isTrue(Number(pauses[1]) >= 500 && Number(pauses[1]) <= 1_000, String(pauses[1]))
      assert.strictEqual(sent[0]?.request.headers["authorization"], "Key id:secret")
      assert.strictEqual(sent[0]?.url, "http://inferlog.test/base/account/balance")
    })
  )

  it.effect("gives up after five times with the error of the last answer", () =>
    Effect.gen(function* () {
      const { make, sent } = scripted(() => refusal(503))
      const { account } = yield* make()
      const fiber = yield* Effect.forkChild(Effect.flip(account.getBalance()))
      yield* hour
      const error = yield* Fiber.join(fiber)
      assert.deepStrictEqual([error._tag, error.message, sent.length], ["ServerError", "Not now.", 6])
    })
  )

  it.effect("does not wait for more than a minute", () =>
    Effect.gen(function* () {
      const { make, sent } = scripted(() => refusal(429, "61"))
      const { account } = yield* make()
      assert.strictEqual((yield* Effect.flip(account.getBalance()))._tag, "TooManyRequestsError")
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("does not repeat what another attempt does not change", () =>
    Effect.gen(function* () {
      const { make, sent } = scripted(() => refusal(501))
      const { account } = yield* make()
      yield* Effect.flip(account.getBalance())
      assert.lengthOf(sent, 1)
    })
  )

  it.effect("repeats a submit under one key, and no call that would do something twice", () =>
    Effect.gen(function* () {
      const submitted = scripted(() => refusal(500))
      const { queue } = yield* submitted.make({ retry: Schedule.recurs(2) })
      yield* Effect.flip(queue.submitRequest(submit))
      const keys = submitted.sent.map(({ request }) => request.headers["idempotency-key"])
      assert.lengthOf(keys, 3)
      assert.match(String(keys[0]), /^\d+(-\d+){3}$/)
      assert.strictEqual(new Set(keys).size, 1)
      const created = scripted(() => refusal(500))
      const { keys: ofAccount } = yield* created.make({ retry: Schedule.recurs(2) })
      yield* Effect.flip(ofAccount.createKey({ payload: { name: "k" } }))
      assert.lengthOf(created.sent, 1)
    })
  )

  it.effect("sends requests to the address for requests, and the rest to the other", () =>
    Effect.gen(function* () {
      const { make, sent } = scripted(() => refusal(404))
      const { history, queue } = yield* make({ queueUrl: "http://queue.test" })
      yield* Effect.flip(queue.submitRequest(submit))
      yield* Effect.flip(history.listRequests({ query: {} }))
      assert.deepStrictEqual(
        sent.map(({ url }) => url),
        ["http://queue.test/a/b", "http://inferlog.test/base/requests"]
      )
    })
  )
})
