/** How calls end early: clients that leave, runs that are lost, accounts without money, a server that stops. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import OpenAI, { RateLimitError } from "openai"
import * as Served from "./Served.ts"

const user = (content: string) => ({ role: "user" as const, content })
const model = "acme/llama"

export const endings = (served: () => Served.Served) =>
  describe("Calls that end early", () => {
    let client: OpenAI

    const begin = async (name = model, options: OpenAI.RequestOptions = {}) => {
      const typing = served().vllm.typed()
      const body = { model: name, messages: [user("type")], stream: true as const }
      const stream = await client.chat.completions.create(body, options)
      return { chunks: stream[Symbol.asyncIterator](), stream, typed: await typing }
    }

    beforeAll(() => {
      const { apiKey, baseURL } = served()
      client = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
    })

    it("goes on with the next run when one is lost before the client has seen anything", async () => {
      const { chunks, typed } = await begin()
      const next = served().vllm.typed()
      typed.cut()
      const second = await next
      second.type("Again")
      assert.strictEqual((await chunks.next()).value?.choices[0]?.delta.content, "Again")
      second.finish()
      await chunks.next()
      assert.isTrue((await chunks.next()).done)
    })

    it("ends the stream with an error when a run is lost after that, and cancels the request", async () => {
      const { chunks, typed } = await begin()
      typed.type("Half")
      await chunks.next()
      const next = served().vllm.typed()
      typed.cut()
      const error = await Served.errorOf(chunks.next())
      assert.strictEqual(error.code, "run_lost")
      assert.deepInclude(await Served.newestEnded(served()), { outcome: "cancelled", cost: "0" })
      await (
        await next
      ).left
    })

    it("takes the next provider when one fails before the first part", async () => {
      for (const stream of [true, false]) {
        const typing = served().vllm.typed()
        const body = { model: "acme/two", messages: [user("type")] }
        const answer = stream
          ? client.chat.completions.create({ ...body, stream }).then(Served.all)
          : client.chat.completions.create(body)
        const first = await typing
        const next = served().vllm.typed()
        first.send({ error: { message: "boom", type: "BadRequestError", code: 400 } })
        first.finish()
        const second = await next
        second.type("Again")
        second.finish()
        const said = JSON.stringify(await answer)
        assert.include(said, '"content":"Again"')
        assert.notInclude(said, "boom")
        assert.deepStrictEqual(
          served()
            .vllm.bodies.slice(-2)
            .map((sent) => sent["model"]),
          ["first", "second"]
        )
      }
    })

    it("ends with an error that the provider tells after the first part, and charges nothing", async () => {
      const { chunks, typed } = await begin()
      typed.type("Half")
      await chunks.next()
      typed.send({
        object: "chat.completion.chunk",
        error: { message: "out of cards", code: 400 },
        choices: []
      })
      typed.finish()
      const error = await Served.errorOf(chunks.next())
      assert.include(error.message, "out of cards")
      assert.deepInclude(await Served.newestEnded(served()), { outcome: "provider_failed", cost: "0" })
    })

    it("charges a chat whose provider tells no usage for its parts", async () => {
      const typing = served().vllm.typed()
      const call = client.chat.completions.create({ model, messages: [user("type")] })
      const typed = await typing
      typed.type("Not")
      typed.send({ type: "ping" })
      typed.type(" counted")
      typed.finishUncounted()
      const usage = { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 }
      const { choices, usage: told } = await call
      assert.strictEqual(choices[0]?.message.content, "Not counted")
      assert.deepStrictEqual(told, usage)
      assert.deepInclude(await Served.newestEnded(served()), { outcome: "succeeded", cost: "0.00002" })
    })

    it("cancels a call that waits for room when its client leaves", async () => {
      const first = await begin("acme/one")
      const leaving = new AbortController()
      const before = served().vllm.bodies.length
      const call = client.chat.completions.create(
        { model: "acme/one", messages: [user("Hi")] },
        { signal: leaving.signal }
      )
      const waiting = await Served.newestOf(served(), "IN_QUEUE")
      leaving.abort()
      await Served.errorOf(call)
      assert.deepInclude(await Served.newestEnded(served()), {
        id: waiting["id"],
        outcome: "cancelled"
      })
      assert.lengthOf(served().vllm.bodies, before)
      first.typed.finish()
      await Served.all({ [Symbol.asyncIterator]: () => first.chunks })
    })

    it("goes on without the client when the call has an Idempotency-Key", async () => {
      const options = { headers: { "Idempotency-Key": "kept" } }
      const { chunks, stream, typed } = await begin(model, options)
      typed.type("Kept")
      await chunks.next()
      stream.controller.abort()
      const body = { model, messages: [user("type")], stream: true as const }
      const again = (await client.chat.completions.create(body, options))[Symbol.asyncIterator]()
      assert.strictEqual((await again.next()).value?.choices[0]?.delta.content, "Kept")
      typed.type(" on")
      assert.strictEqual((await again.next()).value?.choices[0]?.delta.content, " on")
      typed.finish()
      await again.next()
      assert.isTrue((await again.next()).done)
      assert.deepInclude(await Served.newestEnded(served()), { outcome: "succeeded" })
    })

    it("says insufficient_quota when the account cannot pay", async () => {
      const error = await Served.errorOf(
        client.chat.completions.create({ model, messages: [user("Hi")], max_completion_tokens: 1e14 })
      )
      assert.isTrue(error instanceof RateLimitError)
      assert.deepInclude(error, { status: 429, code: "insufficient_quota", type: "insufficient_quota" })
      assert.strictEqual(error.headers?.get("x-should-retry"), "false")
    })

    it("ends the stream with an error when the server stops", async () => {
      const { chunks, typed } = await begin()
      typed.type("Half")
      await chunks.next()
      const stopped = served().server.kill("SIGTERM")
      const error = await Served.errorOf(chunks.next())
      assert.include(error.message, "The server is stopping.")
      await stopped
    })
  })
