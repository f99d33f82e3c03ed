/** The examples of the Vercel AI SDK's documentation of `@ai-sdk/openai-compatible`, with another URL and key. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { assert, describe, it } from "@effect/vitest"
import { embed, generateImage, generateText, jsonSchema, Output, stepCountIs, streamText, tool } from "ai"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

export const aiSdk = (served: () => Served.Served) =>
  describe("@ai-sdk/openai-compatible", () => {
    const provider = () => {
      const { apiKey, baseURL } = served()
      return createOpenAICompatible({ name: "inferlog", apiKey, baseURL, includeUsage: true })
    }

    it("generates a text", async () => {
      const { text, usage } = await generateText({
        model: provider()("acme/llama"),
        prompt: "Write a vegetarian lasagna recipe for 4 people."
      })
      assert.strictEqual(text, Vllm.answer)
      assert.strictEqual(usage.totalTokens, 13)
    })

    it("streams a text", async () => {
      const result = streamText({ model: provider().chatModel("acme/llama"), prompt: "Hi" })
      assert.strictEqual((await Served.all(result.textStream)).join(""), Vllm.answer)
      assert.strictEqual((await result.usage).totalTokens, 13)
    })

    it("runs tools", async () => {
      const { text } = await generateText({
        model: provider()("acme/llama"),
        prompt: "What is the weather in Paris?",
        stopWhen: stepCountIs(3),
        tools: {
          get_weather: tool({
            description: "The weather at a place.",
            inputSchema: jsonSchema<{ location: string }>({
              type: "object",
              properties: { location: { type: "string" } }
            }),
            execute: ({ location }) => Promise.resolve(`20 degrees in ${location}`)
          })
        }
      })
      assert.strictEqual(text, "It is 20 degrees in Paris.")
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

    it("completes a text with a completion model", async () => {
      const { text } = await generateText({
        model: provider().completionModel("acme/completions"),
        prompt: "Say this is a test"
      })
      assert.strictEqual(text, Vllm.answer)
    })

    it("embeds a value", async () => {
      const { embedding } = await embed({
        model: provider().embeddingModel("acme/embeddings"),
        value: "sunny day at the beach"
      })
      assert.deepStrictEqual(embedding, Vllm.vector)
    })

    it("draws a picture", async () => {
      const { image } = await generateImage({
        model: provider().imageModel("acme/images"),
        prompt: "A futuristic cityscape at sunset"
      })
      assert.strictEqual(image.base64, Vllm.png)
    })

    it("says what is wrong", async () => {
      const error: unknown = await generateText({
        model: provider()("acme/none"),
        prompt: "Hi",
        maxRetries: 0
      }).catch((error: unknown) => error)
      assert.include(String(error), "The model does not exist")
    })
  })
