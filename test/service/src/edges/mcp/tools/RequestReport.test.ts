import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Money from "#domain/Money.ts"
import * as RequestReport from "#src/edges/mcp/tools/requests/RequestReport.ts"
import * as Lifecycle from "#test/support/Lifecycle.ts"
import { given, newClient, ran } from "#test/support/src/edges/mcp/tools/RequestCalls.ts"
import { server } from "#test/support/src/edges/mcp/tools/RequestModels.ts"

it.each(["0", "0.1", "0.000000001", "123456789012345678.123456789"])(
  "a cost of %s is shown to the last digit",
  (cost) => {
    const listed = RequestReport.listed({ error: null, cost } as Parameters<typeof RequestReport.listed>[0])
    assert.strictEqual(listed.pricing.cost, cost)
  }
)

layer(server, { excludeTestServices: true })("a report of a request", (it) => {
  it.effect("shows the beginning of a long error, and of each of the last log lines", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* Lifecycle.start(requestId)
      const lines = Array.from({ length: 30 }, (_, index) => `${index} ${"x".repeat(600)}`)
      yield* Lifecycle.log(requestId, ...lines)
      yield* Lifecycle.end(requestId, { _tag: "ModelFailed", message: "y".repeat(5_000) })
      const told = yield* given(client, "get_request", { requestId })
      assert.strictEqual(told["error"], "y".repeat(4_000))
      assert.notProperty(told, "details")
      assert.deepStrictEqual(
        told["logs"],
        lines.slice(10).map((line) => line.slice(0, 500))
      )
    }).pipe(Effect.scoped)
  )

  it.effect("has what the provider said of the error, and so has the list", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* Lifecycle.start(requestId)
      const upstream = { status: 400, code: "context_length_exceeded", param: "messages" }
      yield* Lifecycle.end(requestId, {
        _tag: "ProviderError",
        message: "Too long.",
        retryable: false,
        upstream
      })
      const details = { code: "REQUEST_FAILED", upstream }
      assert.deepInclude(yield* given(client, "get_request", { requestId }), { details })
      const { data } = yield* given(client, "list_my_requests", { status: "FAILED" })
      assert.deepInclude(Array.isArray(data) ? data[0] : null, { requestId, details })
    }).pipe(Effect.scoped)
  )

  it.effect("has the text of a number that JavaScript rounds beside it", () =>
    Effect.gen(function* () {
      const { client } = yield* newClient()
      const requestId = yield* ran(client)
      yield* Lifecycle.start(requestId)
      const text = "18446744073709551615"
      yield* Lifecycle.deliver(requestId, Number(text), [], Money.units(1), text)
      const told = yield* given(client, "get_request", { requestId })
      assert.deepInclude(told, { output: Number(text), outputText: text })
    }).pipe(Effect.scoped)
  )
})
