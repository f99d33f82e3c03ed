/** The examples of LangChain's documentation of `@langchain/openai`, with another URL and key. */
import { assert, describe, it } from "@effect/vitest"
import { HumanMessage, SystemMessage } from "@langchain/core/messages"
import { ChatPromptTemplate } from "@langchain/core/prompts"
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

export const langChain = (served: () => Served.Served) =>
  describe("@langchain/openai", () => {
    const options = () => {
      const { apiKey, baseURL } = served()
      return { apiKey, configuration: { baseURL }, maxRetries: 0 }
    }
    const chat = () => new ChatOpenAI({ ...options(), model: "acme/llama", temperature: 0 })

    it("invokes a chat", async () => {
      const answer = await chat().invoke([
        new SystemMessage("You are a helpful assistant that translates English to French."),
        new HumanMessage("I love programming.")
      ])
      assert.strictEqual(answer.content, Vllm.answer)
      assert.strictEqual(answer.response_metadata["model_name"], "acme/llama")
    })

    it("streams a chat", async () => {
      const parts = await Served.all(await chat().stream("Hi"))
      assert.strictEqual(parts.map(({ content }) => content).join(""), Vllm.answer)
      assert.isAbove(parts.length, 3)
    })

    it("chains a prompt", async () => {
      const prompt = ChatPromptTemplate.fromMessages([
        ["system", "You are a helpful assistant that translates {input} to {output}."],
        ["human", "{text}"]
      ])
      const answer = await prompt.pipe(chat()).invoke({ input: "English", output: "German", text: "Hi" })
      assert.strictEqual(answer.content, Vllm.answer)
    })

    it("binds tools", async () => {
      const bound = chat().bindTools([
        {
          type: "function",
          function: {
            name: "get_weather",
            parameters: { type: "object", properties: { location: { type: "string" } } }
          }
        }
      ])
      const answer = await bound.invoke("What is the weather in Paris?")
      assert.deepStrictEqual(answer.tool_calls?.[0]?.args, { location: "Paris" })
    })

    it("has structured output", async () => {
      const structured = chat().withStructuredOutput({
        title: "event",
        type: "object",
        properties: { name: { type: "string" } },
        required: ["name"]
      })
      assert.strictEqual((await structured.invoke("A science fair."))["name"], "science fair")
    })

    it("uses the Responses API", async () => {
      const model = new ChatOpenAI({ ...options(), model: "acme/llama", useResponsesApi: true })
      assert.strictEqual((await model.invoke("Hi")).text, Vllm.answer)
      const parts = await Served.all(await model.stream("Hi"))
      assert.strictEqual(parts.map(({ text }) => text).join(""), Vllm.answer)
    })

    it("completes a text", async () => {
      const model = new OpenAI({ ...options(), model: "acme/completions" })
      assert.strictEqual(await model.invoke("Say this is a test"), Vllm.answer)
    })

    it("embeds texts", async () => {
      const embeddings = new OpenAIEmbeddings({ ...options(), model: "acme/embeddings" })
      assert.deepStrictEqual(await embeddings.embedQuery("Hi"), Vllm.vector)
      assert.lengthOf(await embeddings.embedDocuments(["a", "b"]), 2)
    })
  })
