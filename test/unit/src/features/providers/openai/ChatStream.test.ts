import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
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

/** The usage of a stream that does not tell one. */
const parts = (count: number) => ({ prompt_tokens: 0, completion_tokens: count, total_tokens: count })

const completion = (choices: ReadonlyArray<Json>, usage: Json = parts(1)): JsonObject => ({
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

  it.effect("keeps the digits of integers past 2^53", () =>
    Effect.gen(function* () {
      const long =
        '{"choices":[{"index":0,"delta":{"content":"x"},"token_id":18446744073709551615}],"seed":-9007199254740993}'
      const outcome = yield* read(`${event(long)}${events(end(), "[DONE]")}`)
      const output = outcome._tag === "Succeeded" ? JsonText.write(outcome.output) : ""
      assert.include(output, '"token_id":18446744073709551615')
      assert.include(output, '"seed":-9007199254740993')
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
        succeeded(completion([said(null, { tool_calls: tools }, "tool_calls")], parts(5)))
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
          ...completion(
            [{ index: 0, text: "This is a test", logprobs: null, finish_reason: "stop" }],
            parts(2)
          ),
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
      assert.deepStrictEqual(assembly.cut(), completion([said("Hello")], parts(2)))
      const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
      assembly.take(chunk([], { usage }))
      assert.deepStrictEqual(assembly.cut(), completion([said("Hello")], usage))
    })
  )

  it.effect("keeps members of any name in chunks, choices and messages", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, cost: 0.5 }
      const thought = (text: string, more: JsonObject = {}) => ({
        reasoning_details: [{ index: 0, type: "reasoning.text", text, ...more }]
      })
      const outcome = yield* read(
        events(
          chunk([choice({ role: "assistant", content: [{ type: "thinking", thinking: "Hm" }] })], {
            provider: "Acme",
            citations: ["https://a"]
          }),
          chunk(
            [choice(thought("Let ", { format: "plain" }), { content_filter_results: { hate: "safe" } })],
            {
              citations: ["https://a", "https://b"]
            }
          ),
          chunk([choice(thought("me", { format: "plain", signature: "sig" }), { token_ids: [5] })]),
          chunk([choice({ audio: { id: "audio_1", data: "AA" } }, { token_ids: [5] })]),
          chunk([choice({ audio: { id: "audio_1", data: "BB", transcript: "Hi" } })]),
          chunk([choice({ annotations: [{ type: "url_citation", url_citation: { url: "https://a" } }] })]),
          chunk([choice({ images: [{ type: "image_url", image_url: { url: "data:" } }] })]),
          chunk([choice({ content: "Hel", refusal: null })]),
          chunk([choice({ content: "lo" }, { content_filter_results: { hate: "safe" } })]),
          chunk([choice({}, { finish_reason: "stop", native_finish_reason: "STOP", stop_reason: 7 })]),
          chunk([], { usage, timings: { predicted_ms: 3 }, service_tier: "default" }),
          "[DONE]"
        )
      )
      assert.deepStrictEqual(
        outcome,
        succeeded({
          ...completion(
            [
              {
                ...said(
                  [
                    { type: "thinking", thinking: "Hm" },
                    { type: "text", text: "Hello" }
                  ],
                  {
                    reasoning_details: [
                      { index: 0, type: "reasoning.text", text: "Let me", format: "plain", signature: "sig" }
                    ],
                    audio: { id: "audio_1", data: "AABB", transcript: "Hi" },
                    annotations: [{ type: "url_citation", url_citation: { url: "https://a" } }],
                    images: [{ type: "image_url", image_url: { url: "data:" } }],
                    refusal: null
                  }
                ),
                content_filter_results: { hate: "safe" },
                token_ids: [5, 5],
                native_finish_reason: "STOP",
                stop_reason: 7
              }
            ],
            usage
          ),
          provider: "Acme",
          citations: ["https://a", "https://b"],
          timings: { predicted_ms: 3 },
          service_tier: "default"
        })
      )
    })
  )

  it.effect("has names once that every chunk tells again", () =>
    Effect.gen(function* () {
      const told = { id: "c", type: "function", function: { name: "f", arguments: "{" } }
      const outcome = yield* read(
        events(
          chunk([
            choice({ role: "assistant", content: "a", name: "bot", tool_calls: [{ index: 0, ...told }] })
          ]),
          chunk([
            choice({
              role: "assistant",
              content: "a",
              name: "bot",
              tool_calls: [{ index: 0, ...told, function: { name: "f", arguments: "}" } }]
            })
          ]),
          chunk([choice({ role: null, content: null }, { finish_reason: "stop" })]),
          chunk([choice({}, { finish_reason: "stop" })]),
          "[DONE]"
        )
      )
      const tools = [{ ...told, function: { name: "f", arguments: "{}" } }]
      assert.deepStrictEqual(
        outcome,
        succeeded(completion([said("aa", { name: "bot", tool_calls: tools })], parts(2)))
      )
    })
  )

  it.effect("has its usage from wherever it is told", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 }
      const told: ReadonlyArray<JsonObject> = [
        chunk([choice({}, { finish_reason: "stop" })], { usage }),
        chunk([choice({}, { finish_reason: "stop", usage })]),
        chunk([choice({ usage }, { finish_reason: "stop" })]),
        chunk([choice({}, { finish_reason: "stop" })], { x_groq: { usage } })
      ]
      for (const last of told) {
        const outcome = yield* read(events(text("Hi"), last, "[DONE]"))
        const output = outcome._tag === "Succeeded" ? outcome.output : null
        assert.deepInclude(output, { usage })
      }
      for (const frame of [
        { ...chunk([]), choices: null, usage },
        { type: "usage", usage },
        { object: "x", usage }
      ]) {
        const outcome = yield* read(events(text("Hi"), end(), frame, "[DONE]"))
        assert.strictEqual(outcome._tag, "Succeeded")
        assert.deepInclude(outcome._tag === "Succeeded" ? outcome.output : null, { usage })
      }
    })
  )

  it.effect("has no text of what is no chunk", () =>
    Effect.gen(function* () {
      const idle = [
        "data: {}\n\n",
        "data:\n\n",
        "data: ping\n\n",
        'data: {"type":"ping"}\n\n',
        'data: {"type":"keep_alive","message":"still here"}\n\n',
        "event: ping\ndata: {}\n\n",
        "event: heartbeat\ndata: 12\n\n",
        'data: {"status":"processing","progress":0.5}\n\n'
      ]
      for (const one of idle) {
        const shown: Array<JsonObject> = []
        const sent = event(text("He")) + one + event(text("y")) + events(end(), "[DONE]")
        const outcome = yield* read(sent, { onChunk: (given) => void shown.push(given) })
        assert.deepStrictEqual(outcome, succeeded(completion([said("Hey")], parts(2))), one)
        assert.deepStrictEqual(shown, [text("He"), text("y"), end()], one)
      }
    })
  )

  it.effect("shows calls of tools so that clients can join their parts", () =>
    Effect.gen(function* () {
      const shown: Array<JsonObject> = []
      const calls = (...tool_calls: ReadonlyArray<Json>) => chunk([choice({ tool_calls })])
      const call = (city: string) => ({
        index: 0,
        type: "function",
        function: { name: "weather", arguments: { city } }
      })
      const outcome = yield* read(
        events(
          calls({ id: "a", ...call("Paris") }),
          calls({ id: "b", ...call("Rome") }),
          calls(call("Oslo")),
          "[DONE]"
        ),
        { assembly: ChatAssembly.make(), onChunk: (given) => void shown.push(given) }
      )
      // A stream without a finish reason is complete with [DONE].
      const again = ChatAssembly.make()
      shown.forEach((given) => assert.strictEqual(again.take(given), given))
      assert.deepStrictEqual(outcome, succeeded(again.completion() ?? {}))
      assert.lengthOf(shown, 4)
    })
  )

  it.effect("of whole completions is each of them once", () =>
    Effect.gen(function* () {
      const message = { role: "assistant", content: "Hello" }
      const far = (content: string, delta: string) =>
        chunk([
          { index: 0, message: { ...message, content }, delta: { content: delta }, finish_reason: null }
        ])
      const whole = chunk([{ index: 0, message, finish_reason: "stop" }])
      const shown: Array<JsonObject> = []
      for (const sent of [events(far("Hel", "Hel"), far("Hello", "lo"), whole), events(whole)]) {
        const outcome = yield* read(sent, { onChunk: (given) => void shown.push(given) })
        assert.deepInclude(outcome._tag === "Succeeded" ? outcome.output : null, { choices: [said("Hello")] })
      }
      assert.deepStrictEqual(
        shown.map(({ choices }) => choices),
        [
          [choice({ content: "Hel" })],
          [choice({ content: "lo" })],
          [choice({}, { finish_reason: "stop" })],
          [choice(message, { finish_reason: "stop" })]
        ]
      )
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

  it.effect("fails with an error in any form, and hands on nothing of it", () =>
    Effect.gen(function* () {
      const message = "boom"
      const forms: ReadonlyArray<string> = [
        event({ error: message }),
        event({ error: { message } }),
        event({ error: [message] }),
        event({ error: message, code: 418 }),
        event(chunk([], { error: { message } })),
        event(chunk([choice({ content: "" }, { finish_reason: "stop" })], { error: { message } })),
        event(chunk([choice({ content: "" }, { finish_reason: "error" })], { error: { message } })),
        event(chunk([choice({}, { finish_reason: "error", error: { message } })])),
        event({ object: "error", message, type: "BadRequestError", code: 400 }),
        event({ type: "error", error: { type: "invalid_request_error", message } }),
        event({ type: "error", message }),
        event({ detail: message }),
        event({ detail: [{ loc: ["body"], msg: message }] }),
        event({ errors: [{ message }] }),
        event({ message }),
        `event: error\n${event({ message })}`,
        `event: error\n${event(message)}`
      ]
      for (const form of forms) {
        const shown: Array<JsonObject> = []
        const sent = event(text("Hi")) + form + events(text("more"), end(), "[DONE]")
        const outcome = yield* read(sent, { onChunk: (given) => void shown.push(given) })
        assert.deepInclude(outcome, { _tag: "ModelFailed", message }, form)
        assert.deepStrictEqual(shown, [text("Hi")], form)
      }
      const unsaid = yield* read(events(text("Hi"), chunk([choice({}, { finish_reason: "error" })])))
      assert.strictEqual(unsaid._tag, "ModelFailed")
    })
  )

  it.effect(
    "that fails before its first part is as a call that was refused, which another provider may take",
    () =>
      Effect.gen(function* () {
        const role = chunk([choice({ role: "assistant", content: "" })])
        const ends = (error: Json) => read(events(role, { error }))
        assert.deepStrictEqual(yield* ends({ message: "too long", code: 400 }), {
          _tag: "ProviderError",
          message: "The provider refused the run with status 400: too long",
          retryable: false,
          upstream: { status: 400 }
        })
        assert.deepStrictEqual(yield* ends("boom"), {
          _tag: "ProviderError",
          message: "The provider failed: boom",
          retryable: true
        })
        assert.deepStrictEqual(
          yield* ends({ message: "boom", type: "odd", code: "odd_code", param: "seed" }),
          {
            _tag: "ProviderError",
            message: "The provider failed: boom",
            retryable: true,
            upstream: { code: "odd_code", param: "seed", type: "odd" }
          }
        )
        assert.deepInclude(yield* ends({ code: 502 }), { _tag: "ProviderError", retryable: true })
        assert.strictEqual((yield* ends({ code: 429 }))._tag, "RateLimited")
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
