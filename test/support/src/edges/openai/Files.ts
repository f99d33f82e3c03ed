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
