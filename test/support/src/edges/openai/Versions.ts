/** OpenAI's documented examples with the majors of `openai` for Node that applications still use, unchanged but for URL and key. */
import { assert, describe, it } from "@effect/vitest"
import OpenAI, { toFile } from "openai"
import OpenAI4 from "openai-4"
import OpenAI5 from "openai-5"
import OpenAI6 from "openai-6"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

// The calls below have the same types in all of them.
const majors = {
  4: OpenAI4 as unknown as typeof OpenAI,
  5: OpenAI5 as unknown as typeof OpenAI,
  6: OpenAI6 as unknown as typeof OpenAI,
  7: OpenAI
}

const model = "acme/llama"

const getWeather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { location: { type: "string" } } }
  }
}

const question = { role: "user" as const, content: "What is the weather in Paris?" }

export const versions = (served: () => Served.Served) =>
  describe.each(Object.entries(majors))("openai %s", (_major, Client) => {
    const clientOf = () => new Client({ apiKey: served().apiKey, baseURL: served().baseURL, maxRetries: 0 })

    it("gets structured output", async () => {
      const schema = { type: "object", properties: { name: { type: "string" }, date: { type: "string" } } }
      const completion = await clientOf().chat.completions.create({
        model,
        messages: [{ role: "user", content: "Alice and Bob are going to a science fair on Friday." }],
        response_format: { type: "json_schema", json_schema: { name: "event", schema } }
      })
      assert.strictEqual(JSON.parse(completion.choices[0]?.message.content ?? "").name, "science fair")
      assert.deepInclude(served().vllm.bodies.at(-1)?.["response_format"], {
        json_schema: { name: "event", schema }
      })
    })

    it("calls tools, streamed and not, and takes what they return", async () => {
      const chat = clientOf().chat.completions
      const { choices } = await chat.create({ model, messages: [question], tools: [getWeather] })
      const message = choices[0]?.message ?? assert.fail("no choice")
      const [call] = message.tool_calls ?? []
      if (call?.type !== "function") return assert.fail("expected a call")
      assert.strictEqual(call.function.arguments, '{"location":"Paris"}')
      const result = { role: "tool" as const, tool_call_id: call.id, content: "20 degrees" }
      const answered = await chat.create({
        model,
        messages: [question, message, result],
        tools: [getWeather]
      })
      assert.strictEqual(answered.choices[0]?.message.content, "It is 20 degrees in Paris.")
      const stream = await chat.create({ model, messages: [question], tools: [getWeather], stream: true })
      const chunks = await Served.all(stream)
      const parts = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
      assert.strictEqual(parts.map((part) => part.function?.arguments ?? "").join(""), '{"location":"Paris"}')
      assert.strictEqual(chunks.at(-1)?.choices[0]?.finish_reason, "tool_calls")
    })

    it("reads reasoning, streamed and not", async () => {
      const call = { model, messages: [{ role: "user" as const, content: "think" }] }
      const { choices } = await clientOf().chat.completions.create(call)
      assert.deepInclude(Object(choices[0]?.message), {
        content: Vllm.answer,
        reasoning_content: Vllm.thoughts
      })
      const chunks = await Served.all(await clientOf().chat.completions.create({ ...call, stream: true }))
      const thought = chunks.map(
        ({ choices }) => Reflect.get(choices[0]?.delta ?? {}, "reasoning_content") ?? ""
      )
      assert.strictEqual(thought.join(""), Vllm.thoughts)
      const response = await clientOf().responses.create({ model, input: "think" })
      assert.deepStrictEqual(
        response.output.map(({ type }) => type),
        ["reasoning", "message"]
      )
      assert.strictEqual(response.output_text, Vllm.answer)
    })

    it("embeds texts as numbers, in the form that it asks for itself", async () => {
      for (const form of [undefined, "float", "base64"] as const) {
        const { data } = await clientOf().embeddings.create({
          model: "acme/embeddings",
          input: ["The food was delicious", "and the waiter"],
          ...(form !== undefined && { encoding_format: form })
        })
        assert.lengthOf(data, 2)
        const embedding: unknown = data[1]?.embedding
        const numbers =
          typeof embedding === "string"
            ? [...new Float32Array(new Uint8Array(Buffer.from(embedding, "base64")).buffer)]
            : embedding
        assert.deepStrictEqual(numbers, Vllm.vector)
      }
    })

    it("transcribes with the times of words and segments", async () => {
      const transcription = await clientOf().audio.transcriptions.create({
        file: await toFile(Vllm.audio, "speech.mp3", { type: "audio/mpeg" }),
        model: "acme/transcriptions",
        prompt: "2024",
        response_format: "verbose_json",
        timestamp_granularities: ["word", "segment"]
      })
      assert.deepInclude(Object(transcription), {
        text: Vllm.answer,
        words: Vllm.words,
        segments: Vllm.segments
      })
      const form = served().vllm.forms.at(-1)?.body.toString("latin1") ?? ""
      for (const value of ["verbose_json", "word", "segment", "2024"])
        assert.include(form, `\r\n\r\n${value}\r\n`)
    })
  })
