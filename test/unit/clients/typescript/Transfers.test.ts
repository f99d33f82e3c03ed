import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "vitest"
import type { ServerResponse } from "node:http"
import * as Exchanges from "#test/support/clients/typescript/Exchanges.ts"
import { QuotaExceededError } from "#clients/typescript/Errors.ts"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import { stream } from "#clients/typescript/node/Stream.ts"

let server: Awaited<ReturnType<typeof Exchanges.serve>>
beforeAll(async () => void (server = await Exchanges.serve()))
afterAll(() => server.close())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const initiated = () => ({ upload_url: `${server.url}/put`, file_url: `${server.url}/media/1/a` })

describe("uploads and downloads of the TypeScript client", () => {
  it("end with the first file of an input that is refused", async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    let putting = false
    const asked: Array<ServerResponse> = []
    server.answer(({ method }, response) => {
      if (method === "PUT") {
        putting = true
        response.socket?.on("close", close)
      } else if (asked.push(response) === 1) Exchanges.json(response, 200, initiated())
      // The other file is refused once the bytes of the first are on their way.
      const [, other] = asked
      if (putting && other)
        Exchanges.json(other, 413, { error: "Full.", details: { code: "QUOTA_EXCEEDED" } })
    })
    const input = { a: new Blob(["a"]), b: new Blob(["b"]) }
    const error = await Exchanges.rejection(server.client().run("acme/writer", input))
    assert.instanceOf(error, QuotaExceededError)
    await closed
  })

  it("end at once when their caller aborts while the source has no bytes", async () => {
    const controller = new AbortController()
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    const source = stream(new ReadableStream({ cancel: resolve }), 10)
    const upload = server.client().files.upload(source, { signal: controller.signal })
    const reason = new Error("by the caller")
    controller.abort(reason)
    assert.equal(await Exchanges.rejection(upload), reason)
    await closed
  })

  it("send a stream in Node only, because others ignore its Content-Length", async () => {
    const bodies: Array<unknown> = []
    const fetch = (async (_, { body } = {}) => {
      bodies.push(body)
      return body instanceof Blob || body instanceof ReadableStream
        ? new Response()
        : Response.json(initiated())
    }) as typeof globalThis.fetch
    const { files } = new Inferlog({ url: server.url, fetch })
    await files.upload(new Blob(["a"]))
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" })
    await files.upload(new Blob(["a"]))
    assert.instanceOf(bodies[1], ReadableStream)
    assert.instanceOf(bodies[3], Blob)
  })

  it("do not mix two files when a download goes on", async () => {
    const cut = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(3)),
      pull: (controller) => controller.error(new TypeError("The connection broke"))
    })
    const answers = [
      new Response(cut, { headers: { etag: '"a"', "content-length": "5" } }),
      new Response("other", { headers: { etag: '"b"' } })
    ]
    const fetch = (async () => answers.shift()) as unknown as typeof globalThis.fetch
    const answer = await server.client({ fetch }).files.download("https://files.example/a")
    assert.instanceOf(await Exchanges.rejection(answer.arrayBuffer()), UnreachableError)
    assert.lengthOf(answers, 0)
  })

  it("leave their caller the time to read", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const fetch = (async () => new Response("the file")) as typeof globalThis.fetch
    const answer = await new Inferlog({ fetch }).files.download("https://files.example/a")
    await vi.advanceTimersByTimeAsync(600_000)
    assert.equal(await answer.text(), "the file")
  })
})
