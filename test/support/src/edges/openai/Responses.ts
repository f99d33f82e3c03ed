/** The examples of OpenAI's documentation of the Responses API, with `openai` for Node. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import OpenAI, { BadRequestError, toFile } from "openai"
import { zodTextFormat } from "openai/helpers/zod"
import * as z from "zod"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

const model = "acme/llama"

const tools = [
  {
    type: "function" as const,
    name: "get_weather",
    description: "The weather at a place.",
    parameters: { type: "object", properties: { location: { type: "string" } } },
    strict: false
  }
]

export const responses = (served: () => Served.Served) =>
  describe("The Responses API", () => {
    let client: OpenAI

    beforeAll(() => {
      const { apiKey, baseURL } = served()
      client = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
    })

    it("answers a text", async () => {
      const response = await client.responses.create({
        model,
        instructions: "You are a coding assistant that talks like a pirate",
        input: "Are semicolons optional in JavaScript?",
        max_output_tokens: 100
      })
      assert.strictEqual(response.output_text, Vllm.answer)
      assert.strictEqual(response.status, "completed")
      assert.match(response.id, /^resp_[\w-]{21}$/)
      assert.strictEqual(response.usage?.total_tokens, 13)
      assert.deepInclude(served().vllm.bodies.at(-1), {
        max_completion_tokens: 100,
        messages: [
          { role: "system", content: "You are a coding assistant that talks like a pirate" },
          { role: "user", content: "Are semicolons optional in JavaScript?" }
        ]
      })
    })

    it("takes pictures and earlier messages", async () => {
      const response = await client.responses.create({
        model,
        input: [
          { role: "user", content: "knock knock." },
          { role: "assistant", content: "Who's there?" },
          {
            role: "user",
            content: [
              { type: "input_text", text: "what is in this image?" },
              { type: "input_image", image_url: `data:image/png;base64,${Vllm.png}`, detail: "auto" }
            ]
          }
        ]
      })
      assert.strictEqual(response.output_text, "A picture of one pixel.")
    })

    it("names files of the account by their id", async () => {
      const png = await toFile(Buffer.from(Vllm.png, "base64"), "one.png", { type: "image/png" })
      const file = await client.files.create({ file: png, purpose: "vision" })
      const asked = (id: string) =>
        client.responses.create({
          model,
          input: [
            {
              role: "user",
              content: [
                { type: "input_image", file_id: id, detail: "auto" },
                { type: "input_file", file_id: id }
              ]
            }
          ]
        })
      await asked(file.id)
      const url = String(Reflect.get(file, "url"))
      assert.deepInclude(served().vllm.bodies.at(-1), {
        messages: [
          {
            role: "user",
            content: [
              { type: "image_url", image_url: { url, detail: "auto" } },
              { type: "file", file: { file_data: url } }
            ]
          }
        ]
      })
      await client.files.delete(file.id)
      const gone = await Served.errorOf(asked(file.id))
      assert.deepInclude(gone, { status: 404, param: "input[0].content[0].file_id" })
    })

    it("tells the probabilities of tokens, whole and streamed", async () => {
      for (const asked of [{ include: ["message.output_text.logprobs" as const] }, { top_logprobs: 2 }]) {
        const { output } = await client.responses.create({ model, input: "Hi", ...asked })
        const stream = await client.responses.create({ model, input: "Hi", ...asked, stream: true })
        const events = await Served.all(stream)
        const [message] = output
        const [part] = message?.type === "message" ? message.content : []
        const logprobs = part?.type === "output_text" ? (part.logprobs ?? []) : []
        const tokens = logprobs.map(({ token }) => token)
        assert.isAbove(tokens.length, 1)
        const deltas = events.flatMap((event) =>
          event.type === "response.output_text.delta" ? event.logprobs : []
        )
        assert.deepStrictEqual(
          deltas.map(({ token }) => token),
          tokens
        )
        const done = events.find(({ type }) => type === "response.output_text.done")
        assert.deepInclude(done, { logprobs })
      }
    })

    it("refuses a picture without a source", async () => {
      const input = [
        { role: "user" as const, content: [{ type: "input_image" as const, detail: "low" as const }] }
      ]
      const refused = await Served.errorOf(client.responses.create({ model, input }))
      assert.deepInclude(refused, { status: 400, param: "input[0].content[0]" })
    })

    it("streams events", async () => {
      for (const name of [model, "acme/whole", "acme/text"]) {
        const stream = await client.responses.create({
          model: name,
          input: "Say double bubble bath.",
          stream: true
        })
        const events = await Served.all(stream)
        const types = events.map(({ type }) => type)
        assert.strictEqual(types[0], "response.created", name)
        assert.strictEqual(types.at(-1), "response.completed", name)
        assert.deepStrictEqual(
          events.map(({ sequence_number: number }) => number),
          events.map((_event, index) => index)
        )
        const text = events.flatMap((event) =>
          event.type === "response.output_text.delta" ? [event.delta] : []
        )
        assert.strictEqual(text.join(""), Vllm.answer, name)
      }
    })

    it("collects a stream with its helper", async () => {
      const response = await client.responses.stream({ model, input: "Hi" }).finalResponse()
      assert.strictEqual(response.output_text, Vllm.answer)
      assert.strictEqual(response.usage?.output_tokens, 4)
    })

    it("calls functions, streamed and not, and takes what they return", async () => {
      const call = { model, input: "What is the weather in Paris?", tools }
      const response = await client.responses.create(call)
      const streamed = await client.responses.stream(call).finalResponse()
      for (const { output } of [response, streamed]) {
        const [item] = output
        assert.deepInclude(item, {
          type: "function_call",
          name: "get_weather",
          arguments: '{"location":"Paris"}'
        })
      }
      const [item] = response.output
      if (item?.type !== "function_call") return assert.fail("expected a call")
      const answered = await client.responses.create({
        model,
        tools,
        input: [
          { role: "user", content: "What is the weather in Paris?" },
          item,
          { type: "function_call_output", call_id: item.call_id, output: "20 degrees" }
        ]
      })
      assert.strictEqual(answered.output_text, "It is 20 degrees in Paris.")
    })

    it("parses structured outputs", async () => {
      const Event = z.object({ name: z.string(), date: z.string(), participants: z.array(z.string()) })
      const response = await client.responses.parse({
        model,
        input: "Alice and Bob are going to a science fair on Friday.",
        text: { format: zodTextFormat(Event, "event") }
      })
      assert.strictEqual(response.output_parsed?.name, "science fair")
    })

    it("leaves out tools of OpenAI alone, and names them", async () => {
      const { response } = await client.responses
        .create({ model, input: "Hi", tools: [{ type: "web_search" }] })
        .withResponse()
      assert.strictEqual(response.headers.get("x-inferlog-tools-left-out"), "web_search")
      const again = await client.responses
        .create({
          model,
          input: [
            {
              type: "web_search_call",
              id: "ws_1",
              status: "completed",
              action: { type: "search", query: "x" }
            },
            { role: "user", content: "Hi" }
          ]
        })
        .withResponse()
      assert.strictEqual(again.response.headers.get("x-inferlog-tools-left-out"), "web_search_call")
    })

    it("resolves references to its items", async () => {
      const first = await client.responses.create({ model, input: "What is the weather in Paris?", tools })
      const [item] = first.output
      if (item?.type !== "function_call") return assert.fail("expected a call")
      const answered = await client.responses.create({
        model,
        tools,
        input: [
          { role: "user", content: "What is the weather in Paris?" },
          { type: "item_reference", id: item.id ?? "" },
          { type: "function_call_output", call_id: item.call_id, output: "20 degrees" }
        ]
      })
      assert.strictEqual(answered.output_text, "It is 20 degrees in Paris.")
    })

    it("refuses what needs stored responses", async () => {
      const refused = [
        { param: "previous_response_id", body: { previous_response_id: "resp_1" } },
        { param: "store", body: { store: true } },
        { param: "background", body: { background: true } }
      ]
      for (const { body, param } of refused) {
        const error: unknown = await client.responses
          .create({ model, input: "Hi", ...body })
          .catch((error: unknown) => error)
        assert.isTrue(error instanceof BadRequestError && error.param === param, param)
      }
    })

    it("ends a stream with the error of the run", async () => {
      const typing = served().vllm.typed()
      const created = client.responses.create({ model, input: "type", stream: true })
      const typed = await typing
      const stream = (await created)[Symbol.asyncIterator]()
      typed.type("Half")
      const types: Array<string> = []
      while (types.at(-1) !== "response.output_text.delta")
        types.push((await stream.next()).value?.type ?? "")
      const next = served().vllm.typed()
      typed.cut()
      assert.strictEqual((await stream.next()).value?.type, "response.failed")
      assert.isTrue((await stream.next()).done)
      await (
        await next
      ).left
    })
  })
