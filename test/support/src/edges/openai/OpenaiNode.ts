/** The examples of the documentation of `openai` for Node (its README, and OpenAI's API reference), with another URL and key. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import OpenAI, { APIError, AuthenticationError, NotFoundError } from "openai"
import { zodResponseFormat } from "openai/helpers/zod"
import * as z from "zod"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

const user = (content: string) => ({ role: "user" as const, content })
const model = "acme/llama"

const tools = [
  {
    type: "function" as const,
    function: {
      name: "get_weather",
      parameters: { type: "object", properties: { location: { type: "string" } } }
    }
  }
]

const failureOf = async (call: Promise<unknown>) => {
  const error = await call.then(
    () => assert.fail("expected an error"),
    (error: unknown) => error
  )
  return error instanceof APIError ? error : assert.fail(String(error))
}

/** @param served the server, once it runs. */
export const openaiNode = (served: () => Served.Served) =>
  describe("openai for Node", () => {
    let client: OpenAI

    beforeAll(() => {
      const { apiKey, baseURL } = served()
      client = new OpenAI({ apiKey, baseURL })
    })

    it("creates a chat completion", async () => {
      const completion = await client.chat.completions.create({
        model,
        messages: [{ role: "developer", content: "Talk like a pirate." }, user("Are semicolons optional?")]
      })
      assert.strictEqual(completion.choices[0]?.message.content, Vllm.answer)
      assert.match(completion.id, /^chatcmpl-[\w-]{21}$/)
      assert.strictEqual(completion.model, model)
      assert.strictEqual(completion.usage?.total_tokens, 13)
      const request = await Served.newest(served())
      assert.strictEqual(`chatcmpl-${String(request["id"])}`, completion.id)
      assert.strictEqual(request["cost"], "0.00013")
    })

    it("streams a chat completion", async () => {
      for (const name of [model, "acme/whole", "acme/text"]) {
        const stream = await client.chat.completions.create({
          model: name,
          messages: [user("Hi")],
          stream: true
        })
        let text = ""
        let finish = null
        for await (const chunk of stream) {
          assert.strictEqual(chunk.object, "chat.completion.chunk")
          assert.strictEqual(chunk.model, name)
          assert.isUndefined(chunk.usage)
          text += chunk.choices[0]?.delta.content ?? ""
          finish = chunk.choices[0]?.finish_reason ?? finish
        }
        assert.strictEqual(text, Vllm.answer, name)
        assert.strictEqual(finish, "stop", name)
      }
    })

    it("streams with the usage at the end, for clients that ask for it", async () => {
      const options = { stream: true, stream_options: { include_usage: true } } as const
      const stream = await client.chat.completions.create({ model, messages: [user("Hi")], ...options })
      const chunks = await Served.all(stream)
      assert.strictEqual(chunks.at(-1)?.usage?.total_tokens, 13)
      assert.deepStrictEqual(chunks.at(-1)?.choices, [])
      assert.isTrue(chunks.slice(0, -1).every(({ usage }) => usage === null))
    })

    it("collects a stream with its helper", async () => {
      const runner = client.chat.completions.stream({ model, messages: [user("Say this is a test")] })
      let deltas = ""
      runner.on("content", (delta) => (deltas += delta))
      const completion = await runner.finalChatCompletion()
      assert.strictEqual(deltas, Vllm.answer)
      assert.strictEqual(completion.choices[0]?.message.content, Vllm.answer)
    })

    it("calls functions, streamed and not, and runs them", async () => {
      const call = { model, messages: [user("What is the weather in Paris?")], tools }
      const completion = await client.chat.completions.create(call)
      const [choice] = completion.choices
      assert.strictEqual(choice?.finish_reason, "tool_calls")
      const [tool] = choice?.message.tool_calls ?? []
      assert.isTrue(tool?.type === "function" && tool.function.arguments === '{"location":"Paris"}')
      const streamed = await client.chat.completions.stream(call).finalChatCompletion()
      const [again] = streamed.choices[0]?.message.tool_calls ?? []
      assert.deepInclude(again, tool)
      const runner = client.chat.completions.runTools({
        model,
        messages: [user("How is the weather this week?")],
        tools: [
          {
            type: "function",
            function: {
              name: "get_weather",
              description: "The weather at a place.",
              parameters: { type: "object", properties: { location: { type: "string" } } },
              parse: JSON.parse,
              function: ({ location }: { location: string }) => `20 degrees in ${location}`
            }
          }
        ]
      })
      assert.strictEqual(await runner.finalContent(), "It is 20 degrees in Paris.")
    })

    it("parses structured outputs", async () => {
      const Event = z.object({ name: z.string(), date: z.string(), participants: z.array(z.string()) })
      const completion = await client.chat.completions.parse({
        model,
        messages: [user("Alice and Bob are going to a science fair on Friday.")],
        response_format: zodResponseFormat(Event, "event")
      })
      assert.deepStrictEqual(completion.choices[0]?.message.parsed?.participants, ["Alice", "Bob"])
    })

    it("sends pictures, by URL and as data", async () => {
      const url = `data:image/png;base64,${Vllm.png}`
      const completion = await client.chat.completions.create({
        model,
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "What is in this image?" },
              { type: "image_url", image_url: { url } }
            ]
          }
        ],
        max_completion_tokens: 300
      })
      assert.strictEqual(completion.choices[0]?.message.content, "A picture of one pixel.")
      assert.include(JSON.stringify(served().vllm.bodies.at(-1)), url)
    })

    it("completes a text, streamed and not", async () => {
      const call = { model: "acme/completions", prompt: "Say this is a test", max_tokens: 7, temperature: 0 }
      const completion = await client.completions.create(call)
      assert.strictEqual(completion.choices[0]?.text, Vllm.answer)
      assert.match(completion.id, /^cmpl-/)
      let text = ""
      for await (const part of await client.completions.create({ ...call, stream: true }))
        text += part.choices[0]?.text ?? ""
      assert.strictEqual(text, Vllm.answer)
    })

    it("embeds texts", async () => {
      const call = { model: "acme/embeddings", input: "The quick brown fox jumped over the lazy dog" }
      const { data, model: name } = await client.embeddings.create(call)
      assert.deepStrictEqual(data[0]?.embedding, Vllm.vector)
      assert.strictEqual(name, "acme/embeddings")
      const floats = await client.embeddings.create({ ...call, encoding_format: "float" })
      assert.deepStrictEqual(floats.data[0]?.embedding, Vllm.vector)
    })

    it("draws pictures, as bytes and as files of this server", async () => {
      const call = { model: "acme/images", prompt: "A cute baby sea otter" }
      const { data = [] } = await client.images.generate(call)
      assert.strictEqual(data[0]?.b64_json, Vllm.png)
      const byUrl = await client.images.generate({ ...call, n: 1, response_format: "url" })
      assert.isUndefined(byUrl.data?.[0]?.b64_json)
      const picture = await fetch(byUrl.data?.[0]?.url ?? "")
      assert.strictEqual(Buffer.from(await picture.arrayBuffer()).toString("base64"), Vllm.png)
    })

    it("lists the models, and retrieves one", async () => {
      const names = (await Served.all(client.models.list())).map(({ id }) => id)
      assert.includeMembers(names, [model, "acme/embeddings"])
      assert.notInclude(names, "sandbox/echo")
      assert.deepInclude(await client.models.retrieve(model), {
        id: model,
        object: "model",
        owned_by: "acme"
      })
      const raw = await fetch(`${served().baseURL}/models/${model}`, {
        headers: { authorization: `Bearer ${served().apiKey}` }
      })
      assert.strictEqual(((await raw.json()) as { readonly id: string }).id, model)
    })

    it("joins tool calls of a server that gives them one index, or no id", async () => {
      const call = (city: string, more: object) => ({
        choices: [
          {
            index: 0,
            delta: {
              tool_calls: [{ index: 0, function: { name: "get_weather", arguments: { city } }, ...more }]
            },
            finish_reason: null
          }
        ]
      })
      const body = { model, messages: [user("type")] }
      const input = "type"
      const functions = tools.map(({ function: described }) => ({
        type: "function" as const,
        strict: false,
        ...described
      }))
      const callsOf = async (begun: () => Promise<ReadonlyArray<readonly [string, string]>>) => {
        const typing = served().vllm.typed()
        const answer = begun()
        const typed = await typing
        typed.send(call("Paris", { id: "call_a" }))
        typed.send(call("Rome", { id: "call_b" }))
        typed.send(call("Oslo", {}))
        typed.finish()
        return answer
      }
      const ofChat = ({ choices }: OpenAI.ChatCompletion) =>
        (choices[0]?.message.tool_calls ?? []).map(
          (one) => [one.id, one.type === "function" ? one.function.arguments : ""] as const
        )
      const ofResponse = ({ output }: OpenAI.Responses.Response) =>
        output.flatMap((item) =>
          item.type === "function_call" ? [[item.call_id, item.arguments] as const] : []
        )
      for (const begun of [
        () => client.chat.completions.create({ ...body, tools }).then(ofChat),
        () =>
          client.chat.completions
            .stream({ ...body, tools })
            .finalChatCompletion()
            .then(ofChat),
        () => client.responses.create({ model, input, tools: functions }).then(ofResponse),
        () => client.responses.stream({ model, input, tools: functions }).finalResponse().then(ofResponse)
      ]) {
        const calls = await callsOf(begun)
        assert.deepStrictEqual(
          calls.map(([, args]) => args),
          ["Paris", "Rome", "Oslo"].map((city) => JSON.stringify({ city }))
        )
        assert.deepStrictEqual(
          calls.slice(0, 2).map(([id]) => id),
          ["call_a", "call_b"]
        )
        assert.match(calls[2]?.[0] ?? "", /^call_[0-9a-f]{32}$/)
      }
    })

    it("handles errors", async () => {
      const messages = [user("Hi")]
      const unknown = await failureOf(client.chat.completions.create({ model: "acme/none", messages }))
      assert.isTrue(unknown instanceof NotFoundError)
      assert.deepInclude(unknown, { code: "model_not_found", param: "model", type: "invalid_request_error" })
      assert.match(unknown.requestID ?? "", /^call_/)
      const other = await failureOf(client.chat.completions.create({ model: "acme/embeddings", messages }))
      assert.deepInclude(other, { status: 400, param: "model" })
      const invalid = await failureOf(client.chat.completions.create({ model, messages: [] }))
      assert.deepInclude(invalid, { status: 400, param: "messages", code: "minItems" })
      const stranger = new OpenAI({ apiKey: "sk-none", baseURL: served().baseURL })
      const refused = await failureOf(stranger.models.list().then((page) => page.data))
      assert.isTrue(refused instanceof AuthenticationError)
      assert.strictEqual(refused.code, "invalid_api_key")
      const long = await failureOf(client.chat.completions.create({ model, messages: [user("too long")] }))
      assert.deepInclude(long, { status: 400, code: "provider_refused" })
      assert.include(long.message, "maximum context length is 4096 tokens")
      for (const stream of [false, true]) {
        const failed = await failureOf(
          client.chat.completions
            .create({ model, messages: [user("break")], stream })
            .then(async (answer) => {
              if (Symbol.asyncIterator in answer) await Served.all(answer)
            })
        )
        assert.include(failed.message, "out of cards")
      }
    })

    it("has the id of the request, and raw responses", async () => {
      const {
        data,
        request_id: id,
        response
      } = await client.chat.completions
        .create({ model, messages: [user("Say this is a test")] })
        .withResponse()
      assert.match(id ?? "", /^call_/)
      assert.strictEqual(`chatcmpl-${response.headers.get("x-inferlog-request-id")}`, data.id)
    })

    it("repeats no call under an Idempotency-Key", async () => {
      const call = { model, messages: [user("Once")] }
      const once = { headers: { "Idempotency-Key": "once" } }
      const [first, second] = [
        await client.chat.completions.create(call, once),
        await client.chat.completions.create(call, once)
      ]
      assert.strictEqual(first.id, second.id)
      const other = await failureOf(
        client.chat.completions.create({ ...call, messages: [user("Twice")] }, once)
      )
      assert.strictEqual(other.status, 409)
    })

    it("keeps metadata, and passes on what it does not know", async () => {
      const call = {
        model,
        messages: [user("Hi")],
        user: "u1",
        metadata: { project: "otters" },
        store: false
      }
      await client.chat.completions.create(call, {
        headers: { "OpenAI-Organization": "org", "OpenAI-Beta": "x" }
      })
      assert.deepStrictEqual((await Served.newest(served()))["metadata"], { project: "otters" })
      assert.deepInclude(served().vllm.bodies.at(-1), { user: "u1", store: false })
    })

    it("gets each token before the model makes the next one", async () => {
      const typing = served().vllm.typed()
      const stream = await client.chat.completions.create({ model, messages: [user("type")], stream: true })
      const typed = await typing
      const chunks = stream[Symbol.asyncIterator]()
      for (const token of ["One", " by", " one"]) {
        typed.type(token)
        const { value } = await chunks.next()
        assert.strictEqual(value?.choices[0]?.delta.content, token)
      }
      typed.finish()
      assert.strictEqual((await chunks.next()).value?.choices[0]?.finish_reason, "stop")
      assert.isTrue((await chunks.next()).done)
    })

    it("cancels the run when it leaves a stream, and pays for what it got", async () => {
      const typing = served().vllm.typed()
      const stream = await client.chat.completions.create({ model, messages: [user("type")], stream: true })
      const typed = await typing
      typed.type("Only this")
      for await (const chunk of stream) {
        assert.strictEqual(chunk.choices[0]?.delta.content, "Only this")
        break
      }
      await typed.left
      const ended = await Served.newestEnded(served())
      assert.deepInclude(ended, { outcome: "partial", cost: "0.00001" })
    })

    it("cancels the run when it leaves a call without a stream", async () => {
      const typing = served().vllm.typed()
      const leaving = new AbortController()
      const call = client.chat.completions.create(
        { model: "acme/whole", messages: [user("type")] },
        { signal: leaving.signal }
      )
      const typed = await typing
      leaving.abort()
      await call.catch(() => {})
      await typed.left
      const ended = await Served.newestEnded(served())
      assert.deepInclude(ended, { outcome: "cancelled", cost: "0" })
    })
  })
