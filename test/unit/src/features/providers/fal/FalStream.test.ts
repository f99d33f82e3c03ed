import { assert, describe, it } from "@effect/vitest"
import type * as Http from "node:http"
import { Effect } from "effect"
import * as FalProvider from "#src/features/providers/fal/FalProvider.ts"
import * as FalStream from "#src/features/providers/fal/FalStream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as AdapterRuns from "#test/support/src/features/providers/contract/AdapterRuns.ts"
import { streamContract } from "#test/support/src/features/providers/contract/StreamContract.ts"
import * as Fal from "#test/support/upstreams/Fal.ts"
import * as StreamingFal from "#test/support/upstreams/streams/Fal.ts"

const adapter = { provider: FalProvider.make }

streamContract("fal", { ...adapter, upstream: StreamingFal.make })

const endAt = Effect.fnUntraced(function* (answer: (response: Http.ServerResponse) => void) {
  const { port } = yield* Receiver.http((_request, response) => answer(response))
  const url = `http://127.0.0.1:${port}`
  return yield* AdapterRuns.outcomeOf(adapter, yield* Fal.make, { url, stream: "last" })
})

const streamed = (...data: ReadonlyArray<string>) =>
  endAt((response) =>
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(data.map((one) => `data: ${one}\n\n`).join(""))
  )

describe("The address of fal's stream", () => {
  it.each([
    [undefined, "https://fal.run/a/b/stream"],
    ["https://queue.fal.run/", "https://fal.run/a/b/stream"],
    ["https://queue.example.com", "https://queue.example.com/a/b/stream"],
    ["https://queue.fal.run.example.com", "https://queue.fal.run.example.com/a/b/stream"]
  ])("of %s", (url, address) => assert.strictEqual(FalStream.urlOf(url, "a/b"), address))
})

describe("A run that fal streams", () => {
  it.live("ends with the last event where each replaces the one before", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* streamed('{"progress": 1}', '{"images": []}'), {
        _tag: "Succeeded",
        output: { images: [] }
      })
    })
  )

  it.live("fails with an error in place of an event", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* streamed('{"progress": 1}', '{"error": {"message": "No GPU"}}'), {
        _tag: "ModelFailed",
        message: "No GPU"
      })
    })
  )

  it.live("without any event has no output", () =>
    Effect.gen(function* () {
      const ended = yield* streamed()
      assert.isTrue(ended._tag === "ProviderError" && ended.retryable)
    })
  )

  it.live("is refused like any other", () =>
    Effect.gen(function* () {
      const ended = yield* endAt((response) =>
        response
          .writeHead(422, { "content-type": "application/json" })
          .end('{"detail": [{"loc": ["body", "prompt"], "msg": "field required", "type": "missing"}]}')
      )
      assert.deepStrictEqual(ended, {
        _tag: "ModelFailed",
        message: "field required",
        upstream: { status: 422 }
      })
    })
  )

  it.live("asks the queue where the model has no stream", () =>
    Effect.gen(function* () {
      const upstream = yield* Fal.make
      // The queue takes the submission to a path that ends in `stream`, as it takes any other.
      const { port } = yield* Receiver.http((request, response) => {
        if (request.url?.endsWith("/stream") === true) return void response.writeHead(404).end()
        response.writeHead(307, { location: `${String(upstream.binding.url)}${String(request.url)}` }).end()
      })
      const run = yield* AdapterRuns.begin(adapter, upstream, {
        url: `http://127.0.0.1:${port}`,
        stream: "last"
      })
      // Redirects are not followed, which shows that the queue was asked.
      const ended = yield* run.outcome
      assert.include(ended._tag === "ProviderError" ? ended.message : ended._tag, "307")
    })
  )
})
