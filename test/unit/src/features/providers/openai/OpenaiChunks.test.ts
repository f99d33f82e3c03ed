/** The chunks of the `openai` adapter, from a server that sends what a test says, when it says so. */
import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { StreamKind } from "#domain/catalog/Model.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import * as OpenaiProvider from "#src/features/providers/openai/OpenaiProvider.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"

const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_694_268_190, model: "m" }

const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason: finish }]
})

const role = chunk({ role: "assistant", content: "" })
const text = (content: string) => chunk({ content })
const end = chunk({}, "stop")
const used = { ...head, choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }

interface Typist {
  readonly send: (...data: ReadonlyArray<Json>) => void
  readonly response: Http.ServerResponse
  /** Completes when the adapter closes the connection. */
  readonly left: Effect.Effect<void>
}

const start = Effect.fnUntraced(function* (stream: StreamKind | null, endpoint = "chat") {
  const arrived = yield* Deferred.make<Typist>()
  const left = yield* Deferred.make<void>()
  const { port } = yield* Receiver.http((request, response) => {
    response.on("close", () => Deferred.doneUnsafe(left, Effect.void))
    void JsonHttp.read(request).then(() => {
      response.writeHead(200, { "content-type": "text/event-stream" })
      const send = (...data: ReadonlyArray<Json>) =>
        void response.write(
          data.map((one) => `data: ${typeof one === "string" ? one : JSON.stringify(one)}\n\n`).join("")
        )
      Deferred.doneUnsafe(arrived, Effect.succeed({ send, response, left: Deferred.await(left) }))
    })
  })
  const surroundings = yield* Layer.build(Surroundings.layer({}))
  const provider = yield* Effect.provide(OpenaiProvider.make, surroundings)
  const options = { endpoint, model: "m" }
  const url = `http://127.0.0.1:${port}/v1`
  const binding: ProviderBinding = { name: "openai", adapter: "openai", url, options }
  const job = jobOf(binding, { messages: [], prompt: "" })
  const model = { ...job.model, ...(stream !== null && { output: { stream } }) }
  const recorded = yield* RecordedControl.make
  const fiber = yield* Effect.forkScoped(provider.run({ ...job, model }, recorded.control))
  return { ...recorded, typist: yield* Deferred.await(arrived), outcome: Fiber.join(fiber) }
})

const until = (holds: () => boolean) =>
  Effect.timeout(Effect.repeat(Effect.delay(Effect.void, 2), { until: () => holds() }), "5 seconds")

describe("Chunks of the openai adapter", () => {
  it.live("arrive while the server is still making the next one", () =>
    Effect.gen(function* () {
      const { chunks, outcome, typist } = yield* start("openai")
      for (const [index, given] of [role, text("Hel"), text("lo"), end, used].entries()) {
        typist.send(given)
        yield* until(() => chunks.length === index + 1)
        assert.deepStrictEqual(chunks[index], given)
      }
      typist.send("[DONE]")
      assert.deepInclude(yield* outcome, { _tag: "Succeeded", delivered: null })
    })
  )

  it.live("are texts for a model whose output is a text, and none for one without a stream", () =>
    Effect.gen(function* () {
      const given = [role, text("Hel"), text("lo"), end, used, "[DONE]"]
      for (const [kind, expected] of [
        ["text", ["Hel", "lo"]],
        [null, []]
      ] as const) {
        const { chunks, outcome, typist } = yield* start(kind)
        typist.send(...given)
        assert.strictEqual((yield* outcome)._tag, "Succeeded")
        assert.deepStrictEqual(chunks, expected)
      }
    })
  )

  it.live("of completions have their text in the choice", () =>
    Effect.gen(function* () {
      const part = (given: string) => ({ object: "text_completion", choices: [{ index: 0, text: given }] })
      const { chunks, outcome, typist } = yield* start("text", "completions")
      typist.send(part("Hel"), part("lo"), "[DONE]")
      assert.strictEqual((yield* outcome)._tag, "Succeeded")
      assert.deepStrictEqual(chunks, ["Hel", "lo"])
    })
  )

  it.live("are cut by a cancel, which ends the stream and leaves what was made", () =>
    Effect.gen(function* () {
      const { chunks, outcome, stop, typist } = yield* start("openai")
      typist.send(role, text("Hel"), text("lo"))
      yield* until(() => chunks.length === 3)
      yield* stop
      assert.deepStrictEqual(yield* outcome, {
        _tag: "CutShort",
        output: {
          ...head,
          object: "chat.completion",
          choices: [
            {
              index: 0,
              message: { role: "assistant", content: "Hello" },
              logprobs: null,
              finish_reason: null
            }
          ],
          usage: { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 }
        }
      })
      yield* Effect.timeout(typist.left, "5 seconds")
    })
  )

  it.live("leave nothing to bill when the cancel comes before the first, or the model has no stream", () =>
    Effect.gen(function* () {
      const early = yield* start("openai")
      yield* early.stop
      assert.deepStrictEqual(yield* early.outcome, { _tag: "Stopped" })
      const { outcome, reports, stop, typist } = yield* start(null)
      typist.send(role, text("Hello"))
      yield* until(() => reports.length > 0)
      yield* stop
      assert.deepStrictEqual(yield* outcome, { _tag: "Stopped" })
    })
  )

  it.live("do not make a stream complete that is cut in the middle, babbles or exceeds its limits", () =>
    Effect.gen(function* () {
      const endings: Readonly<Record<string, (typist: Typist) => void>> = {
        cut: ({ response }) => response.destroy(),
        over: ({ response }) => response.end(),
        babble: ({ send }) => send("[]"),
        "too large": ({ send }) => send(text("x".repeat(3 * 1024 * 1024)))
      }
      for (const [name, finish] of Object.entries(endings)) {
        const { chunks, outcome, typist } = yield* start("openai")
        typist.send(text("Hel"))
        yield* until(() => chunks.length === 1)
        finish(typist)
        const ended = yield* Effect.timeout(outcome, "10 seconds")
        assert.strictEqual(ended._tag, name === "babble" ? "ModelFailed" : "ProviderError", name)
        assert.lengthOf(chunks, 1, name)
      }
    })
  )
})
