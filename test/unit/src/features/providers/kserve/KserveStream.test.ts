import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { StreamKind } from "#domain/catalog/Model.ts"
import * as JsonText from "#domain/JsonText.ts"
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
    const response = '{"model_name":"m","a":18446744073709551615,"b":"x"}'
    const chunkIn = (
      outputs: Readonly<Record<string, string>> | undefined,
      kind: StreamKind,
      text: string
    ) => {
      const options = outputs === undefined ? { model: "m" } : { model: "m", outputs }
      const chunk = Generation.chunkIn(options, kind, JsonText.spelled(JsonText.parse(text), text))
      return chunk === undefined ? undefined : (chunk.scalar ?? JsonText.write(chunk.value))
    }
    assert.strictEqual(
      chunkIn({ first: "a", second: "b" }, "items", response),
      '{"first":18446744073709551615,"second":"x"}'
    )
    assert.strictEqual(chunkIn({ it: "b" }, "text", response), '"x"')
    assert.isUndefined(chunkIn({ it: "c" }, "items", response))
    assert.strictEqual(chunkIn(undefined, "last", response), response)
    assert.isUndefined(chunkIn(undefined, "last", '"x"'))
  })

  it("has the input's texts in its body", () => {
    const input = JsonText.parse('{ "seed": 18446744073709551615, "prompt": "x", "scale": 1.10 }')
    const written = (options: Parameters<typeof Generation.bodyOf>[0]) =>
      Result.map(Generation.bodyOf(options, input), JsonText.write)
    assert.deepStrictEqual(
      written({ model: "m", parameters: { top_k: 5 } }),
      Result.succeed('{"seed":18446744073709551615,"prompt":"x","scale":1.10,"parameters":{"top_k":5}}')
    )
    assert.deepStrictEqual(
      written({
        model: "m",
        parameters: { top_k: 5 },
        inputs: { seed: { datatype: "UINT64", tensor: "SEED" }, scale: { datatype: "FP32" } }
      }),
      Result.succeed('{"parameters":{"top_k":5},"SEED":18446744073709551615,"scale":1.10}')
    )
  })
})
