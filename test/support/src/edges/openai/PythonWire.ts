/**
 * Calls as `openai` for Python sends them (its `_base_client.py`, with httpx), because the package cannot be installed
 * everywhere. Its headers, its bodies and its paths, and what it reads of an answer.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Vllm from "#test/support/upstreams/Vllm.ts"
import type * as Served from "./Served.ts"

const headers = {
  accept: "application/json",
  "user-agent": "OpenAI/Python 1.99.9",
  "accept-encoding": "gzip, deflate",
  "x-stainless-lang": "python",
  "x-stainless-package-version": "1.99.9",
  "x-stainless-os": "Linux",
  "x-stainless-arch": "x64",
  "x-stainless-runtime": "CPython",
  "x-stainless-runtime-version": "3.12.3",
  "x-stainless-async": "false",
  "x-stainless-retry-count": "0",
  "x-stainless-read-timeout": "600"
}

const boundary = "3b7c1d4e5f60718293a4b5c6d7e8f901"

/** As httpx writes forms. */
const formOf = (name: string, content: string, fields: Readonly<Record<string, string>>): string =>
  [
    ...Object.entries(fields).map(
      ([field, value]) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`
    ),
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n`,
    `Content-Type: application/octet-stream\r\n\r\n${content}\r\n--${boundary}--\r\n`
  ].join("")

export const pythonWire = (served: () => Served.Served) =>
  describe("openai for Python, on the wire", () => {
    const send = (path: string, init: RequestInit & { readonly type?: string } = {}) => {
      const { apiKey, baseURL } = served()
      const { type = "application/json", ...rest } = init
      return fetch(`${baseURL}${path}`, {
        ...rest,
        headers: { ...headers, "content-type": type, authorization: `Bearer ${apiKey}` }
      })
    }

    const post = (path: string, body: object) => send(path, { method: "POST", body: JSON.stringify(body) })

    it("client.chat.completions.create", async () => {
      const response = await post("/chat/completions", {
        messages: [{ role: "user", content: "Say this is a test" }],
        model: "acme/llama"
      })
      assert.strictEqual(response.status, 200)
      assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
      const { choices, object } = (await response.json()) as {
        readonly object: string
        readonly choices: ReadonlyArray<{ readonly message: { readonly content: string } }>
      }
      assert.strictEqual(object, "chat.completion")
      assert.strictEqual(choices[0]?.message.content, Vllm.answer)
    })

    it("client.chat.completions.create(stream=True)", async () => {
      const response = await post("/chat/completions", {
        messages: [{ role: "user", content: "Say this is a test" }],
        model: "acme/llama",
        stream: true
      })
      assert.match(response.headers.get("content-type") ?? "", /^text\/event-stream/)
      // It splits at empty lines and takes the fields `data`, until one begins with [DONE].
      const events = (await response.text())
        .split("\n\n")
        .filter((event) => event !== "" && !event.startsWith(":"))
      assert.strictEqual(events.pop(), "data: [DONE]")
      const chunks = events.map(
        (event) =>
          JSON.parse(event.slice("data: ".length)) as {
            readonly choices: ReadonlyArray<{ readonly delta: { readonly content?: string } }>
          }
      )
      assert.strictEqual(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), Vllm.answer)
    })

    it("client.embeddings.create, which asks for base64", async () => {
      const response = await post("/embeddings", {
        input: "Hi",
        model: "acme/embeddings",
        encoding_format: "base64"
      })
      const { data } = (await response.json()) as {
        readonly data: ReadonlyArray<{ readonly embedding: string }>
      }
      const bytes = Buffer.from(data[0]?.embedding ?? "", "base64")
      assert.deepStrictEqual(
        Vllm.vector.map((_value, index) => bytes.readFloatLE(4 * index)),
        Vllm.vector
      )
    })

    it("client.models.retrieve, with the slash as it is", async () => {
      const response = await send("/models/acme/llama")
      assert.deepInclude(await response.json(), { id: "acme/llama", object: "model" })
    })

    it("client.files.create and client.audio.transcriptions.create", async () => {
      const type = `multipart/form-data; boundary=${boundary}`
      const body = formOf("input.jsonl", "{}\n", { purpose: "user_data" })
      const file = await send("/files", { method: "POST", type, body })
      assert.deepInclude(await file.json(), {
        object: "file",
        filename: "input.jsonl",
        purpose: "user_data",
        bytes: 3
      })
      const speech = formOf("speech.mp3", "ID3 speech", { model: "acme/transcriptions" })
      const text = await send("/audio/transcriptions", { method: "POST", type, body: speech })
      assert.deepInclude(await text.json(), { text: Vllm.answer })
    })

    it("openai.NotFoundError, with body, code, param and request_id", async () => {
      const response = await post("/chat/completions", { messages: [], model: "acme/none" })
      assert.strictEqual(response.status, 404)
      assert.match(response.headers.get("x-request-id") ?? "", /^call_/)
      const { error } = (await response.json()) as { readonly error: object }
      assert.hasAllKeys(error, ["message", "type", "param", "code"])
      assert.deepInclude(error, { code: "model_not_found", param: "model" })
    })

    it("openai.BadRequestError, of forms that are cut, garbage or without a file", async () => {
      const head = '--a\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\nabc'
      for (const body of [head, "garbage", "--a--\r\n"]) {
        const type = "multipart/form-data; boundary=a"
        const response = await send("/files", { method: "POST", type, body: Buffer.from(body) })
        assert.strictEqual(response.status, 400, body)
      }
    })

    it("the same, of paths and methods that this server does not have", async () => {
      for (const [path, status] of [
        ["/batches", 404],
        ["/models", 405]
      ] as const) {
        const response = await post(path, {})
        assert.strictEqual(response.status, status, path)
        const { error } = (await response.json()) as { readonly error: object }
        assert.hasAllKeys(error, ["message", "type", "param", "code"])
        assert.deepInclude(error, { type: "invalid_request_error" })
      }
    })
  })
