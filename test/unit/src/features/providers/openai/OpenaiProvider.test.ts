import type * as Http from "node:http"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as OpenaiProvider from "#src/features/providers/openai/OpenaiProvider.ts"
import type { Job } from "#src/features/providers/Provider.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import { jobOf } from "#test/support/src/features/providers/contract/AdapterUnderTest.ts"
import * as RecordedControl from "#test/support/src/features/providers/contract/RecordedControl.ts"
import * as Surroundings from "#test/support/src/features/providers/contract/Surroundings.ts"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import * as Openai from "#test/support/upstreams/Openai.ts"

const secretEnv = "OPENAI_API_KEY"

const providerWith = (secret: string) =>
  Effect.flatMap(Layer.build(Surroundings.layer({ [secretEnv]: secret })), (surroundings) =>
    Effect.provide(OpenaiProvider.make, surroundings)
  )

const start = Effect.fnUntraced(function* (endpoint: Openai.Endpoint, more: JsonObject = {}) {
  const upstream = yield* Openai.make(endpoint)
  const provider = yield* providerWith(upstream.secret)
  const options = { ...upstream.binding.options, ...more }
  const binding: ProviderBinding = { ...upstream.binding, name: "openai", options }
  const run = Effect.fnUntraced(function* (input: Json = upstream.example.input, change: Partial<Job> = {}) {
    const recorded = yield* RecordedControl.make
    const job = { ...jobOf(binding, input), ...change }
    return { ...recorded, fiber: yield* Effect.forkScoped(provider.run(job, recorded.control)) }
  })
  return { upstream, binding, provider, run }
})

/** The outcome of a run at a server that answers every call with `answer`. */
const outcomeAt = Effect.fnUntraced(function* (
  answer: (response: Http.ServerResponse) => void,
  options: JsonObject = { endpoint: "chat", model: "m" },
  change: Partial<Job> = {}
) {
  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && answer(response))
  })
  const binding: ProviderBinding = {
    name: "openai",
    adapter: "openai",
    url: `http://127.0.0.1:${port}/v1/`,
    options
  }
  const provider = yield* providerWith("unused")
  const { control } = yield* RecordedControl.make
  return yield* provider.run({ ...jobOf(binding, { messages: [] }), ...change }, control)
})

/** Runs at a server of this machine. */
const runAt = (port: number, options: JsonObject) => (input: Json) =>
  Effect.gen(function* () {
    const url = `http://127.0.0.1:${port}/v1`
    const binding: ProviderBinding = { name: "openai", adapter: "openai", url, options }
    const provider = yield* providerWith("unused")
    const { control } = yield* RecordedControl.make
    return yield* provider.run(jobOf(binding, input), control)
  })

const errorAnswer =
  (status: number, error: JsonObject, headers: Readonly<Record<string, string>> = {}) =>
  (response: Http.ServerResponse) =>
    JsonHttp.answer(response, status, { error }, headers)

describe("OpenaiProvider", () => {
  it.live("requests a stream with usage, for the binding's model only", () =>
    Effect.gen(function* () {
      const { run, upstream } = yield* start("chat")
      const messages = [{ role: "user", content: "Hi" }]
      const { fiber } = yield* run({ messages, model: "gpt-5-pro", stream: false, temperature: 0.5 })
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Succeeded")
      assert.deepStrictEqual(yield* upstream.bodies, [
        {
          messages,
          temperature: 0.5,
          model: Openai.model,
          stream: true,
          stream_options: { include_usage: true }
        }
      ])
    })
  )

  it.live("reports the used share of the token limit", () =>
    Effect.gen(function* () {
      const { run } = yield* start("chat")
      const { fiber, reports } = yield* run({ messages: [], max_completion_tokens: 10 })
      yield* Fiber.join(fiber)
      const [first, ...progress] = reports
      assert.strictEqual(first, "started")
      assert.isNotEmpty(progress)
      for (const report of progress) {
        assert.isTrue(report !== "started" && report.fraction !== null && report.fraction > 0)
        assert.isTrue(report !== "started" && report.fraction !== null && report.fraction < 1)
      }
    })
  )

  it.live("requests no stream when the binding disables it, with the same output", () =>
    Effect.gen(function* () {
      const { run, upstream } = yield* start("chat", { stream: false })
      const input = { messages: [], stream: true, stream_options: { include_usage: false } }
      const outcome = yield* Fiber.join((yield* run(input)).fiber)
      assert.deepInclude(outcome, {
        _tag: "Succeeded",
        output: upstream.example.output,
        delivered: null
      })
      assert.deepStrictEqual(yield* upstream.bodies, [{ messages: [], model: Openai.model }])
    })
  )

  it.live("accepts the whole answer of a server without streaming", () =>
    Effect.gen(function* () {
      const usage = { total_tokens: 1 }
      const completion = { id: "1", object: "chat.completion", choices: [{ index: 0 }], usage, cost: 1 }
      const outcome = yield* outcomeAt((response) => JsonHttp.answer(response, 200, completion))
      assert.deepInclude(outcome, { _tag: "Succeeded", output: completion, delivered: null })
    })
  )

  it.live("counts the words of a whole answer without usage, and gives its calls ids and texts", () =>
    Effect.gen(function* () {
      const call = { type: "function", function: { name: "f", arguments: { a: 1 } } }
      const message = { role: "assistant", content: "Hello there", tool_calls: [call] }
      const outcome = yield* outcomeAt((response) =>
        JsonHttp.answer(response, 200, { choices: [{ index: 0, message, finish_reason: "tool_calls" }] })
      )
      assert.strictEqual(outcome._tag, "Succeeded")
      const output = outcome._tag === "Succeeded" ? JSON.stringify(outcome.output) : ""
      assert.match(
        output,
        /"tool_calls":\[\{"id":"call_[0-9a-f]{32}","type":"function","function":\{"name":"f","arguments":"\{\\"a\\":1\}"\}\}\]/
      )
      assert.include(output, '"usage":{"prompt_tokens":0,"completion_tokens":3,"total_tokens":3}')
    })
  )

  it.live("fails with an error that a server answers in the place of a completion", () =>
    Effect.gen(function* () {
      const at = (answer: Json) => outcomeAt((response) => JsonHttp.answer(response, 200, answer))
      const refused = yield* at({ error: { message: "too long", code: 400 } })
      assert.deepInclude(refused, { _tag: "ProviderError", retryable: false })
      for (const answer of [
        { error: { message: "boom", code: 502 } },
        { object: "error", message: "boom", code: 500 },
        { choices: [{ index: 0, error: { code: 502, message: "boom" }, finish_reason: "error" }] }
      ])
        assert.deepInclude(yield* at(answer), { _tag: "ProviderError", retryable: true })
    })
  )

  for (const endpoint of ["images", "embeddings"] as const) {
    it.live(`returns ${endpoint}`, () =>
      Effect.gen(function* () {
        const { run, upstream } = yield* start(endpoint)
        const outcome = yield* Fiber.join((yield* run()).fiber)
        assert.deepInclude(outcome, {
          _tag: "Succeeded",
          output: upstream.example.output,
          delivered: null
        })
      })
    )
  }

  it.live("returns every picture in `url`, with its actual type", () =>
    Effect.gen(function* () {
      const url = "https://images.example.com/1.png"
      const data = [
        { url, revised_prompt: "An otter" },
        { b64_json: "/9j/4AAQ" },
        { b64_json: "UklGRiIAAABXRUJQ" },
        { b64_json: "AAAA" }
      ]
      const options = { endpoint: "images", model: "m" }
      const answer = (body: Json) => (response: Http.ServerResponse) => JsonHttp.answer(response, 200, body)
      const outcome = yield* outcomeAt(answer({ data, output_format: "webp" }), options)
      assert.isTrue(outcome._tag === "Succeeded")
      if (outcome._tag !== "Succeeded" || !JsonHttp.isObject(outcome.output)) return
      assert.deepStrictEqual(outcome.output["data"], [
        { url, revised_prompt: "An otter" },
        { url: "data:image/jpeg;base64,/9j/4AAQ" },
        { url: "data:image/webp;base64,UklGRiIAAABXRUJQ" },
        { url: "data:image/webp;base64,AAAA" }
      ])
      const without = yield* outcomeAt(answer({ data: [{ revised_prompt: "An otter" }] }), options)
      assert.strictEqual(without._tag, "ModelFailed")
    })
  )

  it.live("sends the file of a transcription in a form, and takes its text", () =>
    Effect.gen(function* () {
      const sent = yield* Deferred.make<{ readonly type: string; readonly body: string }>()
      const { port } = yield* Receiver.http((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const type = request.headers["content-type"] ?? ""
          Deferred.doneUnsafe(sent, Effect.succeed({ type, body: Buffer.concat(chunks).toString() }))
          JsonHttp.answer(response, 200, { text: "Hello." })
        })
      })
      const run = runAt(port, { endpoint: "transcriptions", model: "whisper" })
      const outcome = yield* run({
        file: Surroundings.fileUrl,
        language: "en",
        timestamp_granularities: ["word"],
        'a"b': 1
      })
      assert.deepInclude(outcome, { _tag: "Succeeded", output: { text: "Hello." } })
      const { body, type } = yield* Deferred.await(sent)
      assert.match(type, /^multipart\/form-data; boundary=/)
      for (const part of [
        'name="language"\r\n\r\nen\r\n',
        'name="timestamp_granularities[]"\r\n\r\nword\r\n',
        'name="a_b"\r\n\r\n1\r\n',
        'name="model"\r\n\r\nwhisper\r\n',
        'name="file"; filename="speech.mp3"\r\ncontent-type: audio/mpeg\r\n\r\nID3 speech\r\n'
      ])
        assert.include(body, part)
      for (const input of [{ file: "https://files.example.com/none" }, {}]) {
        const failed = yield* run(input)
        assert.isTrue(failed._tag === "ProviderError" && !failed.retryable)
      }
    })
  )

  it.live("returns speech as a file, and nothing that is no sound", () =>
    Effect.gen(function* () {
      const at = (type: string, body: string) =>
        outcomeAt((response) => void response.writeHead(200, { "content-type": type }).end(body), {
          endpoint: "speech",
          model: "tts"
        })
      const sound = Buffer.from("ID3 speech").toString("base64")
      assert.deepInclude(yield* at("audio/mpeg", "ID3 speech"), {
        _tag: "Succeeded",
        output: { url: `data:audio/mpeg;base64,${sound}` }
      })
      for (const [type, body] of [
        ["text/html", "<html>"],
        ["audio/mpeg", ""]
      ] as const)
        assert.strictEqual((yield* at(type, body))._tag, "ModelFailed", type)
    })
  )

  const limits: ReadonlyArray<readonly [string, number, JsonObject, Record<string, string>, number]> = [
    ["milliseconds", 429, {}, { "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
    ["seconds", 429, {}, { "retry-after": "2" }, 2_000],
    [
      "the limit that the error names",
      429,
      { type: "tokens", code: "rate_limit_exceeded" },
      { "x-ratelimit-reset-requests": "1h0m0s", "x-ratelimit-reset-tokens": "6m0s" },
      360_000
    ],
    [
      "the limit that is used up",
      429,
      {},
      {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "12ms",
        "x-ratelimit-remaining-tokens": "5",
        "x-ratelimit-reset-tokens": "1h0m0s"
      },
      12
    ],
    ["no header", 429, {}, {}, 5_000],
    ["an overload with a Retry-After", 503, {}, { "retry-after": "3" }, 3_000],
    ["an empty account", 429, { type: "insufficient_quota", code: "insufficient_quota" }, {}, 600_000],
    ["a limit on spending", 400, { code: "billing_hard_limit_reached" }, {}, 600_000],
    ["a bill", 402, { message: "Insufficient credits" }, {}, 600_000]
  ]
  for (const [what, status, error, headers, retryAfterMs] of limits) {
    it.live(`pauses the provider for as long as ${what} requests`, () =>
      Effect.gen(function* () {
        const outcome = yield* outcomeAt(errorAnswer(status, error, headers))
        assert.deepStrictEqual(outcome, { _tag: "RateLimited", retryAfterMs })
      })
    )
  }

  it.live("reports why the provider rejected the call, without a retry", () =>
    Effect.gen(function* () {
      const message = "Your request was rejected as a result of our safety system."
      const outcome = yield* outcomeAt(
        errorAnswer(400, { message, type: "invalid_request_error", code: "content_policy_violation" })
      )
      const expected: ProviderOutcome = {
        _tag: "ProviderError",
        message: `The provider refused the run with status 400: ${message}`,
        retryable: false,
        upstream: { status: 400, code: "content_policy_violation", type: "invalid_request_error" }
      }
      assert.deepStrictEqual(outcome, expected)
    })
  )

  it.live.each([true, false])("keeps the kind of a server fault, streamed: %s", (stream) =>
    Effect.gen(function* () {
      const error = { message: "at /srv/engine.py:7", type: "overloaded_error", code: "engine_overloaded" }
      const outcome = yield* outcomeAt(errorAnswer(503, error), {
        endpoint: "chat",
        model: Openai.model,
        stream
      })
      assert.deepStrictEqual(outcome, {
        _tag: "ProviderError",
        message: "The provider failed with status 503.",
        retryable: true,
        upstream: { status: 503, code: "engine_overloaded", type: "overloaded_error" }
      })
    })
  )

  it.live("closes the connection when the run is stopped", () =>
    Effect.gen(function* () {
      const { run, upstream } = yield* start("chat")
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const { fiber, started } = yield* run()
      yield* started
      yield* Fiber.interrupt(fiber)
      yield* Effect.timeout(upstream.idle, "5 seconds")
    })
  )

  it.effect("has started a call without streaming when it is not rejected soon", () =>
    Effect.gen(function* () {
      const { run, upstream } = yield* start("images")
      yield* upstream.plan({ _tag: "Succeeds", held: true })
      const { fiber, reports, started } = yield* run()
      yield* upstream.taken(1)
      assert.isEmpty(reports)
      yield* TestClock.adjust(1_000)
      yield* started
      yield* upstream.release
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "Succeeded")
      assert.deepStrictEqual(reports, ["started"])
    })
  )

  it.live("rejects inputs that it cannot send", () =>
    Effect.gen(function* () {
      const refused = [
        yield* outcomeAt(() => {}, { endpoint: "audio", model: "m" }),
        yield* outcomeAt(() => {}, { endpoint: "chat" }),
        yield* outcomeAt(() => {}, undefined, { input: ["Hi"] })
      ]
      for (const outcome of refused) assert.isTrue(outcome._tag === "ProviderError" && !outcome.retryable)
    })
  )
})
