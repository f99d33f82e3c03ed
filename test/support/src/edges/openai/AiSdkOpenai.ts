/** The examples of the Vercel AI SDK's documentation of `@ai-sdk/openai`, whose models use the Responses API, with another URL and key. */
import { createOpenAI } from "@ai-sdk/openai"
import { assert, describe, it } from "@effect/vitest"
import { embed, generateText, jsonSchema, type ModelMessage, Output, stepCountIs, streamText, tool } from "ai"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

const tools = {
  get_weather: tool({
    description: "The weather at a place.",
    inputSchema: jsonSchema<{ location: string }>({
      type: "object",
      properties: { location: { type: "string" } }
    }),
    execute: ({ location }) => Promise.resolve(`20 degrees in ${location}`)
  })
}

const weather = "It is 20 degrees in Paris."

export const aiSdkOpenai = (served: () => Served.Served) =>
  describe("@ai-sdk/openai", () => {
    const provider = () => createOpenAI({ apiKey: served().apiKey, baseURL: served().baseURL })

    it("generates and streams a text", async () => {
      const { text, usage } = await generateText({ model: provider()("acme/llama"), prompt: "Hi" })
      assert.strictEqual(text, Vllm.answer)
      assert.strictEqual(usage.totalTokens, 13)
      const streamed = streamText({ model: provider()("acme/llama"), prompt: "Hi" })
      assert.strictEqual((await Served.all(streamed.textStream)).join(""), Vllm.answer)
    })

    it("runs tools over several steps and turns", async () => {
      const messages: Array<ModelMessage> = [{ role: "user", content: "What is the weather in Paris?" }]
      const first = await generateText({
        model: provider()("acme/llama"),
        messages,
        tools,
        stopWhen: stepCountIs(3)
      })
      assert.strictEqual(first.text, weather)
      messages.push(...first.response.messages, { role: "user", content: "And a picture of it?" })
      const second = await generateText({ model: provider()("acme/llama"), messages })
      assert.strictEqual(second.text, Vllm.answer)
    })

    it("runs tools of a stream over several steps", async () => {
      const result = streamText({
        model: provider()("acme/llama"),
        prompt: "What is the weather in Paris?",
        tools,
        stopWhen: stepCountIs(3)
      })
      assert.strictEqual((await Served.all(result.textStream)).join(""), weather)
    })

    it("reads reasoning, and takes it back in the next turn", async () => {
      const messages: Array<ModelMessage> = [{ role: "user", content: "think" }]
      const first = await generateText({ model: provider()("acme/llama"), messages })
      assert.strictEqual(first.reasoningText, Vllm.thoughts)
      const streamed = streamText({ model: provider()("acme/llama"), messages })
      assert.strictEqual(await streamed.reasoningText, Vllm.thoughts)
      messages.push(...first.response.messages, { role: "user", content: "Hi" })
      const second = await generateText({ model: provider()("acme/llama"), messages })
      assert.strictEqual(second.text, Vllm.answer)
    })

    it("generates structured data", async () => {
      const { output } = await generateText({
        model: provider()("acme/llama"),
        prompt: "A science fair.",
        output: Output.object({
          schema: jsonSchema<{ name: string }>({ type: "object", properties: { name: { type: "string" } } })
        })
      })
      assert.strictEqual(output.name, "science fair")
    })

    it("embeds a value", async () => {
      const { embedding } = await embed({
        model: provider().embedding("acme/embeddings"),
        value: "sunny day at the beach"
      })
      assert.deepStrictEqual(embedding, Vllm.vector)
    })
  })
