/** The examples of OpenAI's documentation of files and of audio, with `openai` for Node. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import OpenAI, { APIError, BadRequestError, NotFoundError, toFile } from "openai"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import * as Served from "./Served.ts"

export const files = (served: () => Served.Served) =>
  describe("Files and audio", () => {
    let client: OpenAI

    beforeAll(() => {
      const { apiKey, baseURL } = served()
      client = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
    })

    it("uploads, lists, retrieves, reads and deletes files", async () => {
      const content = '{"prompt":"otters"}\n'
      const file = await client.files.create({
        file: await toFile(Buffer.from(content), "input.jsonl"),
        purpose: "user_data"
      })
      assert.deepInclude(file, { object: "file", filename: "input.jsonl", bytes: 20, status: "processed" })
      const second = await client.files.create({
        file: await toFile(Buffer.from("more"), "more.txt", { type: "text/plain" }),
        purpose: "user_data"
      })
      const listed = await Served.all(client.files.list({ limit: 1 }))
      assert.includeMembers(
        listed.map(({ id }) => id),
        [file.id, second.id]
      )
      assert.strictEqual((await client.files.retrieve(file.id)).filename, "input.jsonl")
      assert.strictEqual(await (await client.files.content(file.id)).text(), content)
      assert.deepStrictEqual(await client.files.delete(file.id), {
        id: file.id,
        object: "file",
        deleted: true
      })
      const gone: unknown = await client.files.content(file.id).catch((error: unknown) => error)
      assert.isTrue(gone instanceof APIError && (gone.status === 404 || gone.status === 410))
      const unknown: unknown = await client.files.retrieve("file-none").catch((error: unknown) => error)
      assert.isTrue(unknown instanceof NotFoundError)
    })

    /** A file of 4 bytes. */
    const upload = async (purpose: OpenAI.FilePurpose) =>
      client.files.create({ file: await toFile(Buffer.from("text"), "a.txt"), purpose })

    const idsOf = (list: ReadonlyArray<{ readonly id: string }>) => list.map(({ id }) => id)

    const failure = async (call: () => Promise<unknown>): Promise<unknown> => {
      try {
        return await call()
      } catch (error) {
        return error
      }
    }

    it("keeps the purpose of each file, and lists the files of one purpose", async () => {
      const uploaded = []
      for (const purpose of ["evals", "vision", "evals"] as const) {
        const file = await upload(purpose)
        assert.strictEqual(file.purpose, purpose)
        assert.strictEqual((await client.files.retrieve(file.id)).purpose, purpose)
        uploaded.push(file)
      }
      const [first, second, third] = idsOf(uploaded)
      const listed = await Served.all(client.files.list({ purpose: "evals", limit: 1 }))
      assert.deepStrictEqual(idsOf(listed), [third, first])
      assert.isTrue(listed.every(({ purpose }) => String(purpose) === "evals"))
      // Others may have left older ones.
      assert.deepStrictEqual(idsOf((await client.files.list({ purpose: "vision", limit: 1 })).data), [second])
      const all = await Served.all(client.files.list())
      assert.deepStrictEqual(
        all.slice(0, 3).map(({ purpose }) => String(purpose)),
        ["evals", "vision", "evals"]
      )
    })

    it("shows files of no purpose as user_data", async () => {
      const { apiKey, server } = served()
      const response = await fetch(`${server.url}/storage/upload/initiate`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
        body: JSON.stringify({ file_name: "cat.png", content_type: "image/png" })
      })
      assert.strictEqual(response.status, 200)
      const [newest] = (await client.files.list({ limit: 1 })).data
      assert.deepInclude(newest, { purpose: "user_data", status: "uploaded" })
      const [sameOne] = (await client.files.list({ limit: 1, purpose: "user_data" })).data
      assert.strictEqual(sameOne?.id, newest?.id)
    })

    it("lists in both orders, and pages from any file on", async () => {
      const descending = idsOf(await Served.all(client.files.list({ order: "desc", limit: 2 })))
      const ascending = idsOf(await Served.all(client.files.list({ order: "asc", limit: 2 })))
      assert.isAbove(ascending.length, 4)
      assert.deepStrictEqual(ascending, descending.toReversed())
      assert.deepStrictEqual(idsOf(await Served.all(client.files.list())), descending)
      const page = await client.files.list({ limit: 2, after: ascending[0] ?? "", order: "asc" })
      assert.deepStrictEqual(idsOf(page.data), ascending.slice(1, 3))
      assert.isTrue(page.has_more)
      const last = await client.files.list({ limit: 2, after: descending.at(-3) ?? "" })
      assert.deepStrictEqual(idsOf(last.data), descending.slice(-2))
      assert.isFalse(last.has_more)
      const none = await client.files.list({ after: descending.at(-1) ?? "" })
      assert.deepStrictEqual([none.data, none.has_more], [[], false])
      const largest = await client.files.list({ limit: 10_000 })
      assert.deepStrictEqual(idsOf(largest.data), descending)
    })

    it("goes on after files that are deleted while they are listed", async () => {
      const uploaded = []
      for (let number = 0; number < 5; number++) uploaded.push((await upload("fine-tune")).id)
      const deleted: Array<string> = []
      for await (const { id } of client.files.list({ purpose: "fine-tune", limit: 2, order: "asc" })) {
        await client.files.delete(id)
        deleted.push(id)
      }
      assert.deepStrictEqual(deleted, uploaded)
      assert.deepStrictEqual((await client.files.list({ purpose: "fine-tune" })).data, [])
    })

    it("refuses unknown purposes, orders, limits and places, and has no file of an unknown purpose", async () => {
      const refusals: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
        // @ts-expect-error Not one of OpenAI's.
        ["purpose", () => upload("nothing")],
        // @ts-expect-error Not one of OpenAI's.
        ["order", async () => client.files.list({ order: "newest" })],
        ["limit", async () => client.files.list({ limit: 0 })],
        ["limit", async () => client.files.list({ limit: 10_001 })],
        ["after", async () => client.files.list({ after: "file-none" })],
        ["after", async () => client.files.list({ after: `file-${"x".repeat(24)}` })]
      ]
      for (const [param, call] of refusals) {
        const error = await failure(call)
        assert.isTrue(error instanceof BadRequestError, param)
        assert.deepInclude(error, { status: 400, param, type: "invalid_request_error" })
      }
      assert.deepStrictEqual((await client.files.list({ purpose: "nothing" })).data, [])
    })

    it("answers 404 for a deleted file, however it is named", async () => {
      const { id } = await upload("user_data")
      assert.isTrue((await client.files.delete(id)).deleted)
      for (const call of [
        async () => client.files.retrieve(id),
        async () => client.files.content(id),
        async () => client.files.delete(id)
      ]) {
        const error = await failure(call)
        assert.isTrue(error instanceof NotFoundError)
        assert.deepInclude(error, { status: 404, type: "invalid_request_error" })
      }
      const unknown = await failure(async () => client.files.delete("file-none"))
      assert.isTrue(unknown instanceof NotFoundError)
    })

    it("transcribes a recording", async () => {
      const recording = Buffer.from("ID3 a recording")
      const call = { file: await toFile(recording, "speech.mp3"), model: "acme/transcriptions" }
      const transcription = await client.audio.transcriptions.create({ ...call, language: "en" })
      assert.strictEqual(transcription.text, Vllm.answer)
      const sent = served().vllm.forms.at(-1)?.body ?? Buffer.alloc(0)
      assert.isTrue(sent.includes(recording))
      assert.isTrue(sent.includes('name="language"\r\n\r\nen\r\n'))
      assert.isTrue(sent.includes(`name="model"\r\n\r\n${Vllm.model}\r\n`))
      const text: unknown = await client.audio.transcriptions.create({ ...call, response_format: "text" })
      assert.strictEqual(text, `${Vllm.answer}\n`)
      const subtitles: unknown = await client.audio.transcriptions
        .create({ ...call, response_format: "srt" })
        .catch((error: unknown) => error)
      assert.isTrue(subtitles instanceof BadRequestError && subtitles.param === "response_format")
    })

    it("speaks a text", async () => {
      const speech = await client.audio.speech.create({
        model: "acme/speech",
        voice: "alloy",
        input: "the quick brown fox jumped over the lazy dogs"
      })
      assert.strictEqual(speech.headers.get("content-type"), "audio/mpeg")
      assert.deepStrictEqual(Buffer.from(await speech.arrayBuffer()), Vllm.audio)
    })

    it("answers 404 for what it does not have", async () => {
      const batches: unknown = await client.batches.retrieve("batch_1").catch((error: unknown) => error)
      assert.isTrue(batches instanceof NotFoundError)
    })
  })
