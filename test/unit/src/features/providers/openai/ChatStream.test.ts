import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as ChatAssembly from "#src/features/providers/openai/ChatAssembly.ts"
import * as ChatStream from "#src/features/providers/openai/ChatStream.ts"

const chunk = (choices: ReadonlyArray<Json>, more: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1_694_268_190,
  model: "m",
  choices,
  ...more
})

const choice = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
  index: 0,
  delta,
  finish_reason: null,
  ...more
})

const text = (content: string) => chunk([choice({ content })])
const end = (reason = "stop") => chunk([choice({}, { finish_reason: reason })])

const event = (data: Json) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`
const events = (...data: ReadonlyArray<Json>) => data.map(event).join("")

const reading = (change: Partial<ChatStream.Reading> = {}): ChatStream.Reading => ({
  assembly: ChatAssembly.make(),
  onParts: () => {},
  onChunk: () => {},
  ...change
})

/** An answer of these parts. */
const answerOf = (parts: Iterable<Uint8Array>) => ({
  each: (take: (part: Uint8Array) => boolean) =>
    Effect.sync(() => {
      for (const part of parts) if (!take(part)) return
    })
})

const read = (sent: string | ReadonlyArray<Uint8Array>, change?: Partial<ChatStream.Reading>) =>
  ChatStream.read(answerOf(typeof sent === "string" ? [Buffer.from(sent)] : sent), reading(change))

const completion = (choices: ReadonlyArray<Json>, usage: Json = null): JsonObject => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_694_268_190,
  model: "m",
  choices,
  usage
})

const said = (content: Json, more: JsonObject = {}, finish = "stop"): JsonObject => ({
  index: 0,
  message: { role: "assistant", content, ...more },
  logprobs: null,
  finish_reason: finish
})

const succeeded = (output: JsonObject) => ({ _tag: "Succeeded", output, delivered: null }) as const

const cutInto = (bytes: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const cuts = [
    0,
    ...places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b),
    bytes.length
  ]
  return cuts.slice(1).map((cut, index) => bytes.subarray(cuts[index], cut))
}

describe("A streamed chat completion", () => {
  it.effect(
    "is the same for any split of its bytes, with any line ends, comments and fields in between",
    () =>
      Effect.promise(() => {
        const sent = [
          ": OPENROUTER PROCESSING",
          "",
          "event: chunk",
          "id: 7",
          `data: ${JSON.stringify(text("Gruß "))}`,
          "",
          "retry: 3000",
          `data:${JSON.stringify(text("🦦 to the moon"))}`,
          "",
          `data: ${JSON.stringify(end())}`,
          "",
          `data: ${JSON.stringify(chunk([], { usage: { total_tokens: 12 } }))}`,
          "",
          "data: [DONE]",
          "",
          ""
        ]
        const expected = succeeded(completion([said("Gruß 🦦 to the moon")], { total_tokens: 12 }))
        return fc.assert(
          fc.asyncProperty(
            fc.constantFrom("\n", "\r\n", "\r"),
            fc.array(fc.nat(2_000), { maxLength: 40 }),
            async (lineEnd, places) => {
              const bytes = Buffer.from(sent.join(lineEnd))
              assert.deepStrictEqual(await Effect.runPromise(read(cutInto(bytes, places))), expected)
            }
          ),
          { numRuns: 60 }
        )
      })
  )

  it.effect("assembles several choices, reasoning, refusals and log probabilities", () =>
    Effect.gen(function* () {
      const logprobs = (token: string) => ({ content: [{ token, logprob: -0.1 }] })
      const outcome = yield* read(
        events(
          chunk([choice({ role: "assistant", reasoning_content: "Let me " }), choice({}, { index: 1 })]),
          chunk([choice({ role: "assistant", reasoning_content: "see" })]),
          chunk([choice({ content: "a" }, { logprobs: logprobs("a") })]),
          chunk([choice({ content: "b" }, { logprobs: logprobs("b") })]),
          chunk([choice({ refusal: "I cannot." }, { index: 1, finish_reason: "content_filter" })], {
            usage: { total_tokens: 7 }
          }),
          chunk([choice({}, { index: 1 })], { usage: null }),
          end("length"),
          "[DONE]"
        )
      )
      assert.deepStrictEqual(
        outcome,
        succeeded(
          completion(
            [
              {
                ...said("ab", { reasoning_content: "Let me see" }, "length"),
                logprobs: { content: [...logprobs("a").content, ...logprobs("b").content] }
              },
              { ...said(null, { refusal: "I cannot." }, "content_filter"), index: 1 }
            ],
            { total_tokens: 7 }
          )
        )
      )
    })
  )

  it.effect("assembles tool calls by their index", () =>
    Effect.gen(function* () {
      const part = (index: number, more: JsonObject) => choice({ tool_calls: [{ index, ...more }] })
      const named = (id: string, name: string) => ({
        id,
        type: "function",
        function: { name, arguments: "" }
      })
      const args = (text: string) => ({ function: { arguments: text } })
      const outcome = yield* read(
        events(
          chunk([choice({ role: "assistant", content: null })]),
          chunk([part(0, named("call_a", "weather"))]),
          chunk([part(0, args('{"city":'))]),
          chunk([part(0, args('"Oslo"}'))]),
          chunk([part(1, named("call_b", "time"))]),
          chunk([part(1, args("{}"))]),
          end("tool_calls"),
          "[DONE]"
        )
      )
      const called = (id: string, name: string, text: string) => ({
        id,
        type: "function",
        function: { name, arguments: text }
      })
      const tools = [called("call_a", "weather", '{"city":"Oslo"}'), called("call_b", "time", "{}")]
      assert.deepStrictEqual(
        outcome,
        succeeded(completion([said(null, { tool_calls: tools }, "tool_calls")]))
      )
    })
  )

  it.effect("is complete without [DONE] once each choice has its finish reason, and truncated before", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* read(events(text("Hi"), end())), succeeded(completion([said("Hi")])))
      for (const sent of ["", events(text("Hi")), events(text("Hi"), end()).slice(0, -20)]) {
        const outcome = yield* read(sent)
        assert.isTrue(outcome._tag === "ProviderError" && outcome.retryable, sent)
      }
    })
  )

  it.effect("is not read beyond its end", () =>
    Effect.gen(function* () {
      const sent = function* () {
        yield Buffer.from(events(text("Hi"), end(), "[DONE]", text("more")))
        throw new Error("expected no further read")
      }
      const outcome = yield* ChatStream.read(answerOf(sent()), reading())
      assert.deepStrictEqual(outcome, succeeded(completion([said("Hi")])))
    })
  )

  it.effect("hands on each chunk as it was sent, and none that violates the protocol", () =>
    Effect.gen(function* () {
      const chunks: Array<JsonObject> = []
      const onChunk = (given: JsonObject) => void chunks.push(given)
      const sent = [text("Hel"), text("lo"), end(), chunk([], { usage: { total_tokens: 2 } })]
      yield* read(events(...sent, "[DONE]"), { onChunk })
      assert.deepStrictEqual(chunks, sent)
      chunks.length = 0
      yield* read(events(text("Hel"), "[]", text("lo")), { onChunk })
      assert.deepStrictEqual(chunks, [text("Hel")])
    })
  )

  it.effect("of texts adds up to a text completion", () =>
    Effect.gen(function* () {
      const part = (given: string, more: JsonObject = {}): JsonObject => ({
        ...chunk([{ index: 0, text: given, logprobs: null, finish_reason: null, ...more }]),
        object: "text_completion"
      })
      const assembly = ChatAssembly.make("text_completion")
      const outcome = yield* read(
        events(part("This is"), part(" a test", { finish_reason: "stop" }), "[DONE]"),
        { assembly }
      )
      assert.deepStrictEqual(
        outcome,
        succeeded({
          ...completion([{ index: 0, text: "This is a test", logprobs: null, finish_reason: "stop" }]),
          object: "text_completion"
        })
      )
    })
  )

  it.effect("that is cut has what arrived, with its parts as the usage that was not told", () =>
    Effect.gen(function* () {
      const assembly = ChatAssembly.make()
      assert.isNull(assembly.cut())
      yield* read(events(chunk([choice({ role: "assistant", content: "" })])), { assembly })
      assert.isNull(assembly.cut())
      yield* read(events(text("Hel"), text("lo"), end()), { assembly })
      const parts = (count: number) => ({ prompt_tokens: 0, completion_tokens: count, total_tokens: count })
      assert.deepStrictEqual(assembly.cut(), completion([said("Hello")], parts(2)))
      const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
      assembly.take(chunk([], { usage }))
      assert.deepStrictEqual(assembly.cut(), completion([said("Hello")], usage))
    })
  )

  it.effect("classifies an error chunk by its cause", () =>
    Effect.gen(function* () {
      const ends = (error: Json) => read(events(text("Hi"), { error }, "[DONE]"))
      const message = "context length exceeded"
      assert.deepStrictEqual(yield* ends({ message, type: "BadRequestError", code: 400 }), {
        _tag: "ModelFailed",
        message,
        upstream: { status: 400, type: "BadRequestError" }
      })
      for (const error of [
        { message, type: "InternalServerError", code: 500 },
        { message, type: "server_error", code: null },
        { message, type: "overloaded_error" }
      ]) {
        const outcome = yield* ends(error)
        assert.isTrue(outcome._tag === "ProviderError" && outcome.retryable, error.type)
      }
      const limited = yield* ends({ message, type: "tokens", code: "rate_limit_exceeded" })
      assert.strictEqual(limited._tag, "RateLimited")
    })
  )

  it.effect("is rejected when an event violates the protocol", () =>
    Effect.gen(function* () {
      const hostile = [
        "<html>",
        "[]",
        "null",
        '{"choices":7}',
        '{"choices":[7]}',
        '{"choices":[{"index":-1}]}',
        '{"choices":[{"index":1e9,"delta":{}}]}',
        '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1e9}]}}]}',
        `{"choices":${"[".repeat(1_000)}${"]".repeat(1_000)}}`,
        '{"choices":[{"index":0,"delta":{"content":"x"},"logprobs":{"content":[1e999]}}]}'
      ]
      for (const data of hostile) {
        const outcome = yield* read(events(text("Hi"), data, end(), "[DONE]"))
        assert.strictEqual(outcome._tag, "ModelFailed", data.slice(0, 60))
      }
      assert.strictEqual((yield* read(events("[DONE]")))._tag, "ModelFailed")
    })
  )

  it.effect("is not buffered when a line has no end", () =>
    Effect.gen(function* () {
      const part = Buffer.from("x".repeat(64 * 1024))
      let sent = 0
      const endless = function* () {
        for (;;) {
          sent += part.length
          yield part
        }
      }
      const failure = yield* Effect.flip(ChatStream.read(answerOf(endless()), reading()))
      assert.strictEqual(failure.reason, "too_large")
      assert.isBelow(sent, 2 * 1024 * 1024)
    })
  )
})
