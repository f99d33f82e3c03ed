import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import type { Json } from "#domain/CanonicalJson.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { JudgedOutcome, Violation } from "#domain/Outcome.ts"
import { inlineLimit } from "#domain/PayloadRef.ts"
import { Eraser } from "#src/features/retention/Eraser.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { BlobStore } from "#streams/BlobStore.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as StreamName from "#streams/StreamName.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { clientOf, given, newClient, ran, refused } from "#test/support/src/edges/mcp/tools/RequestCalls.ts"
import { server } from "#test/support/src/edges/mcp/tools/RequestModels.ts"

const ended = Effect.fnUntraced(function* (id: RequestId, outcome: JudgedOutcome) {
  yield* Lifecycle.start(id)
  yield* Lifecycle.end(id, outcome)
})

const delivered = Effect.fnUntraced(function* (
  id: RequestId,
  output: Json,
  violations: ReadonlyArray<Violation> = []
) {
  yield* Lifecycle.start(id)
  yield* Lifecycle.deliver(id, output, violations)
})

layer(server, { excludeTestServices: true })("the tools that show requests", (it) => {
  it.effect("show an open request, and the next call", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client, { metadata: { team: "blue" } })
      yield* Lifecycle.start(requestId)
      yield* Lifecycle.log(requestId, "first line", "second line")
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, {
        requestId,
        modelEndpoint: "sandbox/echo",
        status: "IN_PROGRESS",
        outcome: "pending",
        stillRunning: true,
        message: "The request has not ended yet: call wait_for_request with its requestId.",
        output: null,
        error: null,
        pricing: { cost: "0", currency: "USD", billingStatus: null },
        inferenceTime: null,
        delayTime: 10,
        metadata: { team: "blue" },
        logs: ["first line", "second line"],
        erasedAt: null
      })
    }).pipe(Effect.scoped)
  )

  it.effect("show the output and the charge, and the input on demand", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* delivered(requestId, { value: "out" })
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, {
        status: "COMPLETED",
        outcome: "succeeded",
        stillRunning: false,
        message: "Done.",
        output: { value: "out" },
        outputTruncated: false,
        pricing: { cost: "0.001", currency: "USD", billingStatus: "charged" },
        inferenceTime: 1_500
      })
      assert.notProperty(told, "input")
      const whole = yield* given(client, "get_request", { requestId, includeInput: true })
      assert.deepStrictEqual(whole, { ...told, input: { value: "in" } })
    }).pipe(Effect.scoped)
  )

  it.effect("do not read an input that is not requested", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client, { input: { value: "x".repeat(inlineLimit) } })
      const stream = StreamName.make(InferenceRequest.aggregate.category, requestId)
      const content = (yield* (yield* EventReader).payload(stream, "input"))?.content
      if (content?._tag !== "Blob") return assert.fail("The input is not in a blob")
      yield* (yield* BlobStore).put(content.key, Buffer.from("damaged"))
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, { requestId, output: null })
      assert.match(
        yield* refused(client, "get_request", { requestId, includeInput: true }),
        /lost or damaged/
      )
    }).pipe(Effect.scoped)
  )

  it.effect.each([
    ["failed", "FAILED", { _tag: "ProviderError", message: "No such voice", retryable: false }],
    ["provider_failed", "COMPLETED", { _tag: "ModelFailed", message: "No such voice" }]
  ] as const)("explain why a request has %s", ([outcome, status, judged]) =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* ended(requestId, judged)
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, {
        status,
        outcome,
        error: "No such voice",
        output: null,
        pricing: { cost: "0", currency: "USD", billingStatus: "failed" }
      })
      assert.include(String(told["message"]), "nothing was charged")
    }).pipe(Effect.scoped)
  )

  it.effect("report where an output violates its schema, without returning it", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      const violations = Array.from({ length: 30 }, (_, index) => ({
        instancePath: `/${index}`,
        message: "must be string"
      }))
      yield* delivered(requestId, { value: 1 }, violations)
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, { outcome: "invalid_output", output: null })
      assert.deepStrictEqual(told["validationErrors"], violations.slice(0, 20))
    }).pipe(Effect.scoped)
  )

  it.effect("show a cancelled request", () =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const id = yield* ran(client)
      yield* (yield* Requests).cancel({ caller, id, endpoint: "sandbox/echo" })
      const told = yield* given(client, "get_request", { requestId: id })
      assert.deepInclude(told, { status: "CANCELLED", outcome: "cancelled", error: null })
      assert.include(String(told["message"]), "was cancelled")
    }).pipe(Effect.scoped)
  )

  it.effect("return the beginning of a large output, and all of it on demand", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client, { input: { value: "ä".repeat(60_000) } })
      yield* delivered(requestId, { value: "ä".repeat(60_000) })
      const told = yield* given(client, "get_request", { requestId, includeInput: true })
      assert.deepInclude(told, { output: null, outputTruncated: true, outputBytes: 120_012, input: null })
      // The 50,000th byte is the first of a letter, which is omitted.
      assert.strictEqual(told["outputExcerpt"], `{"value":"${"ä".repeat(24_995)}`)
      assert.strictEqual(told["inputExcerpt"], told["outputExcerpt"])
      assert.include(String(told["message"]), "call get_request with maxOutputBytes 120012 to get all of it")
      const odd = yield* given(client, "get_request", { requestId, maxOutputBytes: 11 })
      assert.strictEqual(odd["outputExcerpt"], '{"value":"')
      const whole = yield* given(client, "get_request", { requestId, maxOutputBytes: 120_012 })
      assert.deepInclude(whole, {
        output: { value: "ä".repeat(60_000) },
        outputTruncated: false,
        message: "Done."
      })
    }).pipe(Effect.scoped)
  )

  it.effect("explain how to get an output that is too large for a call", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* delivered(requestId, { value: "x".repeat(1_000_000) })
      for (const maxOutputBytes of [null, 1_000_000]) {
        const { message, outputBytes } = yield* given(client, "get_request", { requestId, maxOutputBytes })
        assert.strictEqual(outputBytes, 1_000_012)
        assert.match(String(message), /^Done\. The output has 1000012 bytes, more than a tool returns/)
        assert.match(String(message), /responseUrl/)
        assert.notMatch(String(message), /maxOutputBytes/)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("report an erased output", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* delivered(requestId, { value: "out" })
      yield* (yield* Eraser).erase(requestId, "requested")
      const told = yield* given(client, "get_request", { requestId, includeInput: true })
      assert.deepInclude(told, { outcome: "succeeded", output: null, input: null, media: [] })
      assert.isString(told["erasedAt"])
      assert.match(String(told["message"]), /were erased at .* cannot be fetched any more/)
    }).pipe(Effect.scoped)
  )

  it.effect.each(["get_request", "wait_for_request"])("distinguish the ids that %s rejects", (tool) =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      const call = (requestId: string) => refused(client, tool, { requestId })
      assert.match(yield* call("not an id"), /^requestId: must be 21 characters/)
      assert.match(yield* call("rq-------------------"), /^There is no request with this requestId/)
      const foreign = yield* ran((yield* newClient()).client)
      const text = yield* call(foreign)
      assert.match(text, /^The request belongs to another account/)
      assert.notInclude(text, "sandbox")
      const own = yield* ran(client)
      const other = yield* clientOf({
        ...caller,
        grant: { ...caller.grant, modelEndpoints: [ModelEndpoint.make("sandbox/slow")] }
      })
      assert.match(
        yield* refused(other, tool, { requestId: own }),
        /not granted to the API key of this sign-in/
      )
      const writing = yield* clientOf({ ...caller, grant: { ...caller.grant, scopes: ["requests:write"] } })
      assert.include(yield* refused(writing, tool, { requestId: own }), "`requests:read`")
    }).pipe(Effect.scoped)
  )

  it.effect("list the requests of an account, newest first, without their payloads", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const list = (args = {}) => given(client, "list_my_requests", args)
      assert.deepInclude(yield* list(), { page: 1, limit: 20, total: 0, totalPages: 0, data: [] })
      yield* ran((yield* newClient()).client)
      const ids = yield* Effect.replicateEffect(ran(client), 3)
      const page = yield* list({ page: null, limit: 2 })
      assert.deepInclude(page, { page: 1, limit: 2, total: 3, totalPages: 2 })
      assert.notProperty(page, "hint")
      assert.deepStrictEqual(idsOf(page), ids.toReversed().slice(0, 2))
      assert.deepStrictEqual(idsOf(yield* list({ page: 2, limit: 2 })), ids.slice(0, 1))
      const [first] = rowsOf(page)
      assert.deepInclude(first, { modelEndpoint: "sandbox/echo", status: "IN_QUEUE", outcome: "pending" })
      assert.notProperty(first, "input")
      assert.notProperty(first, "output")
      const beyond = yield* list({ page: 3, limit: 2 })
      assert.deepInclude(beyond, { total: 3, data: [] })
      assert.include(String(beyond["hint"]), "2 pages")
    }).pipe(Effect.scoped)
  )

  it.effect("filter by status and model", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const list = (args: object) => Effect.map(given(client, "list_my_requests", { ...args }), idsOf)
      const done = yield* ran(client)
      yield* delivered(done, { value: "out" })
      const slow = yield* ran(client, { modelEndpoint: "sandbox/slow", input: { seconds: 1 } })
      assert.deepStrictEqual(yield* list({ status: "COMPLETED" }), [done])
      assert.deepStrictEqual(yield* list({ modelEndpoint: "sandbox/slow" }), [slow])
      assert.deepStrictEqual(yield* list({ modelEndpoint: "sandbox/slow", status: "COMPLETED" }), [])
      const text = (args: object) => refused(client, "list_my_requests", { ...args })
      assert.include(
        yield* text({ status: "DONE" }),
        "`status` must be one of IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED and CANCELLED."
      )
      assert.match(yield* text({ modelEndpoint: "Echo" }), /^modelEndpoint: must be of the form owner\/name/)
      assert.include(yield* text({ limit: 101 }), "`limit` must be a whole number from 1 to 100.")
    }).pipe(Effect.scoped)
  )

  it.effect("show a key with granted models only their requests", () =>
    Effect.gen(function* () {
      const { caller, client } = yield* newClient()
      yield* ran(client)
      const slow = yield* ran(client, { modelEndpoint: "sandbox/slow", input: { seconds: 1 } })
      const other = yield* clientOf({
        ...caller,
        grant: { ...caller.grant, modelEndpoints: [ModelEndpoint.make("sandbox/slow")] }
      })
      assert.deepStrictEqual(idsOf(yield* given(other, "list_my_requests", {})), [slow])
      assert.match(
        yield* refused(other, "list_my_requests", { modelEndpoint: "sandbox/echo" }),
        /not granted this model. It is granted sandbox\/slow/
      )
      const writing = yield* clientOf({ ...caller, grant: { ...caller.grant, scopes: ["requests:write"] } })
      assert.include(yield* refused(writing, "list_my_requests", {}), "`requests:read`")
    }).pipe(Effect.scoped)
  )
})

type Given = Effect.Success<ReturnType<typeof given>>

const rowsOf = (page: Given): ReadonlyArray<object> => {
  const { data } = page
  return Array.isArray(data) ? data.map((row) => Object(row)) : assert.fail("It is no page")
}

const idsOf = (page: Given) => rowsOf(page).map((row) => Reflect.get(row, "requestId"))
