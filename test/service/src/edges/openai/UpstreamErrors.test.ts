/** Errors of upstreams, as clients of OpenAI's API and of this service's own routes get them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { JudgedOutcome } from "#domain/Outcome.ts"
import type { StatusChange } from "#projections/live-status/LiveStatus.ts"
import * as StreamView from "#src/edges/api/requests/streams/StreamView.ts"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import { call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"

const model = "test/chat"
const catalog = BuiltinCatalog.layerOf([testModel(model, { serves: ["chat"], inputSchema: {} })])

const serving = TestServer.layer({ catalog }).pipe(Layer.provideMerge(SkippedTime.layer))

const tooLong = {
  status: 400,
  code: "context_length_exceeded",
  param: "messages",
  type: "invalid_request_error"
} as const

const refused = (status: number, upstream: object): JudgedOutcome => ({
  _tag: "ProviderError",
  message: `The provider refused the run with status ${status}: Too long.`,
  retryable: false,
  upstream
})

/** A chat whose run ends so: its answer, and the request's id. */
const chat = Effect.fnUntraced(function* (outcome: JudgedOutcome, stream: boolean) {
  const { key, urls } = yield* TestServer.TestServer
  const body = JSON.stringify({ model, stream, messages: [{ role: "user", content: "Hi" }] })
  const calling = call({ method: "POST", path: "/v1/chat/completions", headers: jsonHeaders, body })
  const asked = { authorization: key, model, status: "IN_QUEUE" }
  const ending = Effect.gen(function* () {
    const id = RequestId.make(yield* Effect.promise(() => FalClients.newest(urls.queueUrl, asked)))
    yield* Lifecycle.start(id)
    yield* Lifecycle.end(id, outcome)
    return id
  })
  const { until } = yield* SkippedTime
  const [reply, id] = yield* until("20 millis")(Effect.all([calling, ending], { concurrency: 2 }))
  return { reply, id, error: Reflect.get(Object(reply.json), "error") as unknown }
})

layer(serving, { excludeTestServices: true })("an error of an upstream", (it) => {
  it.effect.each([
    ["with its code, parameter and status", refused(400, tooLong), 400, { ...tooLong, message: "Too long." }],
    ["with its status", refused(404, { status: 404 }), 404, { code: "provider_refused", param: null }],
    [
      "without the status of this server's own credential",
      refused(403, { status: 403 }),
      500,
      { param: null }
    ],
    [
      "with the code of a run that failed",
      { _tag: "ModelFailed", message: "No.", upstream: { code: "bad_image", type: "invalid_request_error" } },
      400,
      { code: "bad_image", message: "No." }
    ],
    ["as ours without one", { _tag: "ModelFailed", message: "No." }, 500, { code: "model_failed" }]
  ] as const)(
    "reaches clients of /v1 %s, and every answer names the request",
    ([, outcome, status, expected]) =>
      Effect.gen(function* () {
        const { error, id, reply } = yield* chat(outcome, false)
        assert.strictEqual(reply.status, status, reply.text)
        const { status: _status, ...shown } = { status, ...expected }
        assert.deepInclude(error, shown)
        assert.strictEqual(reply.headers["x-inferlog-request-id"], id)
      })
  )

  it.effect("is in the details of this service's own routes, and in the timeline", () =>
    Effect.gen(function* () {
      const { id } = yield* chat(refused(400, tooLong), false)
      const path = `/${model}/requests/${id}`
      const result = yield* call({ path })
      assert.strictEqual(result.status, 400, result.text)
      assert.deepStrictEqual(Reflect.get(Object(result.json), "details"), {
        code: "REQUEST_FAILED",
        upstream: tooLong
      })
      const status = yield* call({ path: `${path}/status` })
      assert.deepInclude(status.json, { details: { code: "REQUEST_FAILED", upstream: tooLong } })
      const timeline = yield* call({ path: `/requests/${id}/events` })
      assert.include(timeline.text, "context_length_exceeded")
    })
  )

  it.effect("is in the details of every other answer and event that shows the error", () =>
    Effect.gen(function* () {
      const { id } = yield* chat(refused(400, tooLong), false)
      const details = { code: "REQUEST_FAILED", upstream: tooLong }
      const target = `https://queue.fal.run/${model}/requests/${id}`
      const fal = (url: string) => ({ path: "/compat/fal", headers: { "x-fal-target-url": url } })
      for (const probe of [
        { path: `/requests/${id}` },
        fal(target),
        fal(`${target}/status`),
        { path: `/compat/replicate/v1/predictions/${id}` }
      ])
        assert.deepInclude((yield* call(probe)).json, { details }, JSON.stringify(probe))
      const list = yield* call({ path: "/requests?status=FAILED&limit=1" })
      assert.deepInclude(Reflect.get(Object(list.json), "data")[0], { id, details })
      for (const stream of ["status/stream", "output/stream"]) {
        const { text } = yield* call({ path: `/${model}/requests/${id}/${stream}` })
        assert.include(text, JSON.stringify({ details }).slice(1, -1), stream)
      }
    })
  )

  it.effect("is in the event of a stream of all requests", () =>
    Effect.sync(() => {
      const change: StatusChange = {
        change: 1,
        accountId: AccountId.make("acc_test"),
        requestId: RequestId.make("rq0000000000000000001"),
        model: ModelEndpoint.make(model),
        status: "FAILED",
        position: GlobalPosition.trusted("1"),
        inferenceMs: null,
        expectedMs: null,
        error: "Too long.",
        upstream: tooLong
      }
      const told = (event: string): unknown => JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? "")
      assert.deepInclude(told(StreamView.statusEvent("http://x", change)), {
        details: { code: "REQUEST_FAILED", upstream: tooLong }
      })
      assert.notProperty(told(StreamView.statusEvent("http://x", { ...change, upstream: null })), "details")
    })
  )

  it.effect("that says nothing more has no details, as those of earlier releases", () =>
    Effect.gen(function* () {
      const outcome = { _tag: "ProviderError", message: "No.", retryable: false } as const
      const { id } = yield* chat(outcome, false)
      for (const path of [
        `/requests/${id}`,
        `/${model}/requests/${id}/status`,
        `/${model}/requests/${id}/output/stream`,
        `/compat/replicate/v1/predictions/${id}`,
        "/requests?status=FAILED&limit=1"
      ])
        assert.notInclude((yield* call({ path })).text, "details", path)
    })
  )
})
