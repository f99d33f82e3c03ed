import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KserveProvider from "#src/features/providers/kserve/KserveProvider.ts"
import * as Generation from "#src/features/providers/kserve/Generation.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import { streamContract } from "#test/support/src/features/providers/contract/StreamContract.ts"
import * as Kserve from "#test/support/upstreams/Kserve.ts"
import * as KserveStream from "#test/support/upstreams/streams/Kserve.ts"

const adapter = { provider: KserveProvider.make }

streamContract("kserve", { ...adapter, upstream: KserveStream.make })

describe("A generation", () => {
  it.live("fails with an error in the stream, whose status is 200", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.http((_request, response) =>
        response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end('data: {"text_output": "a"}\n\ndata: {"error": "out of memory"}\n\n')
      )
      const outcome = yield* AdapterRuns.outcomeOf(adapter, yield* Kserve.make, {
        url: `http://127.0.0.1:${port}`,
        stream: "text"
      })
      assert.deepStrictEqual(outcome, { _tag: "ModelFailed", message: "out of memory" })
    })
  )

  it.live("has one chunk where the server answers without a stream", () =>
    Effect.gen(function* () {
      const { port } = yield* Receiver.http((_request, response) =>
        response.writeHead(200, { "content-type": "application/json" }).end('{"text_output": "a"}')
      )
      for (const [stream, chunk, output] of [
        ["text", "a", "a"],
        ["items", { text_output: "a" }, [{ text_output: "a" }]]
      ] as const) {
        const upstream = yield* Kserve.make
        const options = upstream.binding.options ?? {}
        const run = yield* AdapterRuns.begin(
          adapter,
          { ...upstream, binding: { ...upstream.binding, options: { model: options["model"] ?? "m" } } },
          { url: `http://127.0.0.1:${port}`, stream }
        )
        assert.deepInclude(yield* run.outcome, { _tag: "Succeeded", output })
        assert.deepStrictEqual(run.chunks, [chunk])
      }
    })
  )

  it("has chunks with the binding's outputs", () => {
    const response = { model_name: "m", a: 1, b: "x" }
    const options = { model: "m", outputs: { first: "a", second: "b" } }
    assert.deepStrictEqual(Generation.chunkIn(options, "items", response), { first: 1, second: "x" })
    assert.strictEqual(Generation.chunkIn({ model: "m", outputs: { it: "b" } }, "text", response), "x")
    assert.isUndefined(Generation.chunkIn({ model: "m", outputs: { it: "c" } }, "items", response))
    assert.deepStrictEqual(Generation.chunkIn({ model: "m" }, "last", response), response)
    assert.isUndefined(Generation.chunkIn({ model: "m" }, "last", "x"))
  })
})
