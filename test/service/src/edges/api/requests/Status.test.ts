import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { providerDown, type Wait, WaitingFor, worker } from "#src/features/provider-health/WaitingFor.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { SkippedTime } from "#test/support/SkippedTime.ts"
import * as TestServer from "#test/support/TestServer.ts"
import type { Reply } from "#test/support/HttpProbe.ts"
import { accepted, assertEnvelope, call, issuesOf } from "#test/support/src/edges/http/Calls.ts"
import { modelOf, scenarios } from "#test/support/src/edges/http/Scenarios.ts"

const statusOf = (id: string, query = "", headers: Readonly<Record<string, string>> = {}) =>
  call({ path: `/sandbox/echo/requests/${id}/status${query}`, headers })

const serving = TestServer.layer().pipe(Layer.provideMerge(SkippedTime.layer))

layer(serving, { excludeTestServices: true })("GET …/requests/{id}/status", (it) => {
  it.effect.each([
    ["queued", 200, { status: "IN_QUEUE", logs: "", metrics: { expected_time: 1 } }],
    ["running", 200, { status: "IN_PROGRESS", logs: "", metrics: { inference_time: 0, expected_time: 1 } }],
    ["succeeded", 200, { status: "COMPLETED", logs: "", metrics: { inference_time: 1.5 } }],
    ["partial", 200, { status: "COMPLETED", logs: "", metrics: { inference_time: 1.5 } }],
    ["invalidOutput", 200, { status: "COMPLETED", logs: "", metrics: { inference_time: 1.5 } }],
    ["providerFailed", 200, { status: "COMPLETED", logs: "", metrics: { inference_time: 1.5 } }],
    ["failed", 400, { status: "FAILED", logs: [], error: "The provider refused the run." }],
    ["cancelled", 200, { status: "CANCELLED", logs: "" }]
  ] as const)("shows a request that is %s", ([scenario, status, body]) =>
    Effect.gen(function* () {
      const { urls } = yield* TestServer.TestServer
      const id = yield* scenarios[scenario]
      const url = `${urls.queueUrl}/${modelOf(scenario)}/requests/${id}`
      const reply = yield* call({ path: `/${modelOf(scenario)}/requests/${id}/status` })
      assert.strictEqual(reply.status, status)
      assert.deepStrictEqual(reply.json, {
        ...body,
        request_id: id,
        response_url: url,
        status_url: `${url}/status`,
        cancel_url: `${url}/cancel`,
        queue_position: 0
      })
    })
  )

  it.effect("joins log lines with newlines, and lists them once the request has failed", () =>
    Effect.gen(function* () {
      const id = yield* scenarios.running
      yield* Lifecycle.log(id, "one", "two")
      assert.deepInclude((yield* statusOf(id)).json, { logs: "one\ntwo" })
      yield* Lifecycle.end(id, { _tag: "ProviderError", message: "refused", retryable: false })
      assert.deepInclude((yield* statusOf(id)).json, { logs: ["one", "two"] })
    })
  )

  describe("ETag", () => {
    it.effect("answers 304 without a body until the request changes", () =>
      Effect.gen(function* () {
        const id = yield* accepted()
        const { headers } = yield* statusOf(id)
        const etag = String(headers.etag)
        const same = yield* statusOf(id, "", { "if-none-match": `"other", W/${etag}` })
        assert.strictEqual(same.status, 304)
        assert.strictEqual(same.text, "")
        assert.strictEqual(same.headers.etag, etag)
        yield* Lifecycle.start(id)
        const changed = yield* statusOf(id, "", { "if-none-match": etag })
        assert.strictEqual(changed.status, 200)
        assert.notStrictEqual(changed.headers.etag, etag)
      })
    )

    it.effect("does not hide a failed request: 400 stays 400", () =>
      Effect.gen(function* () {
        const id = yield* scenarios.failed
        assert.strictEqual((yield* statusOf(id, "", { "if-none-match": "*" })).status, 400)
      })
    )
  })

  it.effect("shows the elapsed time of a run, and its reported progress", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      yield* Lifecycle.start(id)
      yield* Lifecycle.progress(id, 0.25)
      const reply = yield* statusOf(id)
      assert.deepInclude(Object(reply.json), { status: "IN_PROGRESS", progress: 0.25 })
      assert.isAtLeast(Object(reply.json).metrics.inference_time, 0)
      assert.match(String(reply.headers.etag), /^W\//)
    })
  )

  describe("wait", () => {
    it.effect("holds the answer until the status changes", () =>
      Effect.gen(function* () {
        const id = yield* accepted()
        // With the tag, the order of call and change does not matter. A dispatch changes only the tag.
        const isQueued = ({ json }: Reply) => Object(json).status === "IN_QUEUE"
        let etag = String((yield* statusOf(id)).headers.etag)
        const held = yield* Effect.suspend(() => statusOf(id, "?wait=20", { "if-none-match": etag })).pipe(
          Effect.tap(({ headers }) => Effect.sync(() => void (etag = String(headers.etag)))),
          Effect.repeat({ while: isQueued }),
          Effect.forkChild
        )
        yield* Lifecycle.start(id)
        assert.deepInclude((yield* Fiber.join(held)).json, { status: "IN_PROGRESS" })
      })
    )

    it.effect("does not answer for a change that leaves the status the same", () =>
      Effect.gen(function* () {
        const id = yield* scenarios.running
        const held = yield* Effect.forkChild(statusOf(id, "?wait=30"))
        yield* Lifecycle.log(id, "a line")
        yield* Lifecycle.deliver(id, { value: 1 })
        assert.deepInclude((yield* Fiber.join(held)).json, { status: "COMPLETED" })
      })
    )

    it.effect("answers at once a client whose tag is outdated", () =>
      Effect.gen(function* () {
        const id = yield* accepted()
        const etag = String((yield* statusOf(id)).headers.etag)
        yield* Lifecycle.start(id)
        const reply = yield* statusOf(id, "?wait=30", { "if-none-match": etag })
        assert.deepInclude(reply.json, { status: "IN_PROGRESS" })
      })
    )

    it.effect("does not hold the answer for a request that has ended", () =>
      Effect.gen(function* () {
        const id = yield* scenarios.succeeded
        assert.deepInclude((yield* statusOf(id, "?wait=60")).json, { status: "COMPLETED" })
      })
    )

    it.effect("answers the current status at the time limit", () =>
      Effect.gen(function* () {
        const id = yield* accepted()
        const { until } = yield* SkippedTime
        const [elapsed, reply] = yield* Effect.timed(until("100 millis")(statusOf(id, "?wait=1")))
        assert.deepInclude(reply.json, { status: "IN_QUEUE" })
        assert.isAtLeast(Duration.toMillis(elapsed), 990)
      })
    )

    it.effect.each(["61", "-1", "1.5", "", "x", "1e1", "1&wait=2", "%20"])("rejects wait=%s", (wait) =>
      Effect.gen(function* () {
        const id = yield* accepted()
        const reply = yield* statusOf(id, `?wait=${wait}`)
        assertEnvelope(reply, 400)
        assert.deepStrictEqual(
          issuesOf(reply).map(([path]) => path),
          ["wait"]
        )
      })
    )
  })
})

/** What the models wait for now. */
let wait: Wait | null = null

layer(TestServer.layer().pipe(Layer.provide(Layer.succeed(WaitingFor, () => wait))), {
  excludeTestServices: true
})("A request without an available provider", (it) => {
  it.effect("shows what it waits for, under its own tag, until it starts", () =>
    Effect.gen(function* () {
      const id = yield* accepted()
      const before = yield* statusOf(id)
      wait = providerDown("dns_error")
      const told = { waiting_for: "provider_down", waiting_reason: "The provider's name cannot be resolved." }
      const down = yield* statusOf(id, "", { "if-none-match": String(before.headers.etag) })
      assert.strictEqual(down.status, 200)
      assert.deepInclude(down.json, told)
      assert.strictEqual(
        (yield* statusOf(id, "", { "if-none-match": String(down.headers.etag) })).status,
        304
      )
      const read = yield* call({ path: `/requests/${id}` })
      assert.deepInclude(read.json, { waitingFor: "provider_down", waitingReason: told.waiting_reason })
      wait = worker
      assert.deepInclude((yield* statusOf(id)).json, { waiting_for: "worker" })
      wait = null
      const after = yield* statusOf(id)
      assert.deepStrictEqual([after.json, after.headers.etag], [before.json, before.headers.etag])
    })
  )

  it.effect("does not show it for a run in progress", () =>
    Effect.gen(function* () {
      wait = worker
      const id = yield* scenarios.running
      assert.notProperty((yield* statusOf(id)).json, "waiting_for")
      assert.notProperty((yield* call({ path: `/requests/${id}` })).json, "waitingFor")
    })
  )
})
