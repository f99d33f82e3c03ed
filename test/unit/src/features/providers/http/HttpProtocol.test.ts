/** Behaviour beyond the contract test of all adapters (`docs/reference/provider-contract.md`). */
import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import { ProviderHttp } from "#src/features/providers/ProviderHttp.ts"
import * as HttpProvider from "#src/features/providers/http/HttpProvider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"

type Serve = (request: JsonHttp.JsonRequest, response: Http.ServerResponse) => void

const key = "rq0000000000000000001-1"

/** A worker with the behaviour `serve`, and a run at it. */
const begin = Effect.fnUntraced(function* (serve: Serve, path = "/run") {
  const calls: Array<string> = []
  const receiver = yield* Receiver.http((request, response) => {
    calls.push(`${String(request.method)} ${String(request.url)}`)
    void JsonHttp.read(request).then((read) => read !== null && serve(read, response))
  })
  const surroundings = yield* Layer.build(Surroundings.layer({}))
  const provider = yield* Effect.provide(HttpProvider.make, surroundings)
  const recorded = yield* RecordedControl.make
  const url = `http://127.0.0.1:${receiver.port}${path}`
  const job = jobOf({ name: "worker", adapter: "http", url }, { text: "hello" })
  const fiber = yield* Effect.forkScoped(provider.run(job, recorded.control))
  const call = (url: string, json: Json) =>
    Effect.flatMap(ProviderHttp, (http) => http.call({ method: "POST", url, body: json })).pipe(
      Effect.provide(surroundings)
    )
  return {
    ...recorded,
    calls,
    call,
    fiber,
    receiver,
    outcome: Effect.timeout(Fiber.join(fiber), "5 seconds")
  }
})

const done: ProviderOutcome = { _tag: "Succeeded", output: 1, delivered: null }

describe("The worker contract", () => {
  it.live("sends the run, its model, its callback and its time limit", () =>
    Effect.gen(function* () {
      const seen = yield* Deferred.make<JsonHttp.JsonRequest>()
      const { outcome } = yield* begin((request, response) => {
        Deferred.doneUnsafe(seen, Effect.succeed(request))
        JsonHttp.answer(response, 200, { output: 1 })
      })
      assert.deepInclude(yield* outcome, done)
      const { body, headers } = yield* Deferred.await(seen)
      assert.strictEqual(headers["idempotency-key"], key)
      assert.notProperty(headers, "authorization")
      assert(JsonHttp.isObject(body))
      const { callback, ...rest } = body
      assert.deepStrictEqual(rest, {
        id: "rq0000000000000000001",
        attempt: 1,
        model: "test/contract",
        input: { text: "hello" },
        timeoutSeconds: 60
      })
      assert.match(
        String(callback),
        /^http:\/\/127\.0\.0\.1:\d+\/callbacks\/rq0000000000000000001\/1\/[\w-]{43}$/
      )
    }).pipe(Effect.scoped)
  )

  it.live("uses the key of a run without a name, and preserves the query of the binding's URL", () =>
    Effect.gen(function* () {
      const { calls, jobIds, outcome } = yield* begin(
        ({ method }, response) =>
          method === "POST"
            ? JsonHttp.answer(response, 202, {})
            : JsonHttp.answer(response, 200, { output: 1 }),
        "/run/?gpu=1"
      )
      assert.deepInclude(yield* outcome, done)
      assert.deepStrictEqual(jobIds, [key])
      assert.deepStrictEqual(calls, ["POST /run/?gpu=1", `GET /run/${key}?gpu=1`])
    }).pipe(Effect.scoped)
  )

  it.live.each(["../admin", ".", "..", "a/b", "", "x".repeat(201), 7])("rejects a name like %j", (jobId) =>
    Effect.gen(function* () {
      const { calls, jobIds, outcome } = yield* begin((_request, response) =>
        JsonHttp.answer(response, 202, { jobId })
      )
      assert.deepInclude(yield* outcome, { _tag: "ModelFailed" })
      assert.deepStrictEqual([jobIds, calls], [[], ["POST /run"]])
    }).pipe(Effect.scoped)
  )

  it.live.each([405, 501])("follows a worker that answers polls with %d by its callbacks alone", (status) =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const callback = yield* Deferred.make<string>()
      let questions = 0
      const { call, fiber, outcome } = yield* begin(({ body, method }, response) => {
        // Longer than the state of a run may be unknown.
        if (method === "GET" && ++questions === 50) Deferred.doneUnsafe(asked, Effect.void)
        if (method === "POST") Deferred.doneUnsafe(callback, Effect.succeed(String(Object(body).callback)))
        JsonHttp.answer(response, method === "POST" ? 202 : status, {})
      })
      yield* Effect.raceFirst(Deferred.await(asked), outcome)
      assert.isUndefined(fiber.pollUnsafe())
      const { json } = yield* call(yield* Deferred.await(callback), { output: 1 })
      assert.deepStrictEqual(json, {})
      assert.deepInclude(yield* outcome, done)
    }).pipe(Effect.scoped)
  )

  it.live("accepts a callback before the answer, and one that ends the run", () =>
    Effect.gen(function* () {
      const callback = yield* Deferred.make<string>()
      const { call, outcome, receiver, started } = yield* begin(({ body }) => {
        Deferred.doneUnsafe(callback, Effect.succeed(String(Object(body).callback)))
      })
      yield* call(yield* Deferred.await(callback), { status: "running" })
      yield* started
      yield* call(yield* Deferred.await(callback), { output: 1, units: 2 })
      assert.deepInclude(yield* outcome, { _tag: "Succeeded", output: 1 })
      yield* receiver.closed
    }).pipe(Effect.scoped)
  )

  it.live("closes the connection of a run that is cancelled before its answer, and cancels by its key", () =>
    Effect.gen(function* () {
      const posted = yield* Deferred.make<void>()
      const { calls, outcome, stop } = yield* begin(({ method }, response) => {
        if (method === "POST") Deferred.doneUnsafe(posted, Effect.void)
        else response.writeHead(204).end()
      })
      yield* Deferred.await(posted)
      yield* stop
      assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
      assert.deepStrictEqual(calls, ["POST /run", `DELETE /run/${key}`])
    }).pipe(Effect.scoped)
  )

  it.live("cancels by its name a run that is answered while it is being cancelled", () =>
    Effect.gen(function* () {
      const posted = yield* Deferred.make<void>()
      let accept = () => {}
      let isCancelled = false
      const { calls, outcome, stop } = yield* begin(({ method, path }, response) => {
        if (method === "POST") {
          accept = () => JsonHttp.answer(response, 202, { jobId: "job-1" })
          return Deferred.doneUnsafe(posted, Effect.void)
        }
        // The call by key is never answered.
        if (path === `/run/${key}`) return accept()
        isCancelled ||= method === "DELETE"
        JsonHttp.answer(response, 200, { status: isCancelled ? "cancelled" : "running" })
      })
      yield* Deferred.await(posted)
      yield* stop
      assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
      assert.include(calls, "DELETE /run/job-1")
    }).pipe(Effect.scoped)
  )

  it.live("cancels by its key a run whose answer did not arrive", () =>
    Effect.gen(function* () {
      const { calls, outcome } = yield* begin(({ method }, response) =>
        method === "POST" ? void response.destroy() : JsonHttp.answer(response, 204, {})
      )
      assert.deepInclude(yield* outcome, { _tag: "ProviderError", retryable: true })
      assert.deepStrictEqual(calls, ["POST /run", `DELETE /run/${key}`])
    }).pipe(Effect.scoped)
  )

  it.live("is stopped when the worker can neither be polled nor finds it to stop it", () =>
    Effect.gen(function* () {
      const { accepted, outcome, stop } = yield* begin(({ method }, response) =>
        JsonHttp.answer(response, method === "POST" ? 202 : method === "GET" ? 405 : 404, {})
      )
      yield* accepted
      yield* stop
      assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
    }).pipe(Effect.scoped)
  )

  it.live.each([
    [{ output: 1, seconds: 2.5 }, 2.5],
    [{ output: 1, seconds: null }, undefined]
  ] as const)("uses the worker's measurement of the run, if any: %j", ([said, seconds]) =>
    Effect.gen(function* () {
      const { outcome } = yield* begin((_request, response) => JsonHttp.answer(response, 200, said))
      const ended = yield* outcome
      assert(ended._tag === "Succeeded")
      if (seconds === undefined) assert.isBelow(ended.seconds ?? 5, 5)
      else assert.strictEqual(ended.seconds, seconds)
    }).pipe(Effect.scoped)
  )

  it.live("waits for the end of a run that cannot be stopped", () =>
    Effect.gen(function* () {
      const cancelled = yield* Deferred.make<void>()
      let isDone = false
      const { accepted, outcome, stop } = yield* begin(({ method }, response) => {
        if (method === "DELETE") Deferred.doneUnsafe(cancelled, Effect.void)
        if (method === "DELETE") isDone = true
        if (method === "GET")
          return JsonHttp.answer(response, 200, isDone ? { output: 1 } : { status: "running" })
        return JsonHttp.answer(response, method === "POST" ? 202 : 405, {})
      })
      yield* accepted
      yield* stop
      yield* Deferred.await(cancelled)
      assert.deepInclude(yield* outcome, done)
    }).pipe(Effect.scoped)
  )
})
