/**
 * Pictures in the body of a request, with sizes on both sides of each internal limit: that of a payload beside its event
 * and of a format's own pattern (64 KiB), of the lane of large bodies (256 KiB, and 1 MiB of values), and of a body (10 MiB).
 *
 * @cost Runs pictures of megabytes through each edge.
 */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as BuiltinCatalog from "#src/features/catalog/models/BuiltinCatalog.ts"
import type { BuiltinModel } from "#src/features/catalog/models/builtin/BuiltinModel.ts"
import { gradient } from "#src/features/catalog/models/builtin/vision/ExampleImages.ts"
import { testModel } from "#test/support/TestModels.ts"
import * as TestServer from "#test/support/TestServer.ts"
import * as FalClients from "#test/support/src/edges/fal/FalClients.ts"
import { call, jsonHeaders } from "#test/support/src/edges/http/Calls.ts"
import * as Clients from "#test/support/src/edges/replicate/Clients.ts"

const KiB = 1024

const limits = [64 * KiB, 256 * KiB, 1024 * KiB]

/** Bytes of an input: at the start, around each limit, and as long as a body may be with what an edge puts around it. */
const sizes = [
  2 * KiB,
  ...limits.flatMap((limit) => [limit - 100, limit, limit + 1, limit + 100]),
  10_240 * KiB - 200
]

const empty = JSON.stringify({ image: "" }).length

/** An input of so many bytes. Blanks in base64 mean nothing. */
const inputOf = (bytes: number) => ({ image: gradient + " ".repeat(bytes - empty - gradient.length) })

/** A worker that tells the length of the picture that it got. */
class Worker extends Context.Service<Worker, { readonly url: string }>()("inferlog/test/Worker") {
  static readonly layer = Layer.effect(
    Worker,
    Effect.acquireRelease(
      Effect.callback<http.Server>((resume) => {
        const server = http.createServer((request, response) => {
          const chunks: Array<Buffer> = []
          request.on("data", (chunk: Buffer) => chunks.push(chunk))
          request.on("end", () => {
            const { input } = JSON.parse(Buffer.concat(chunks).toString())
            response
              .writeHead(200, { "content-type": "application/json" })
              .end(JSON.stringify({ output: { length: input.image.length } }))
          })
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => server.closeAllConnections())
    ).pipe(
      Effect.map((server) => ({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run` }))
    )
  )
}

const inputSchema = {
  type: "object",
  properties: { image: { type: "string", format: "uri" } },
  required: ["image"]
}

const remote = (url: string): BuiltinModel => {
  const built = testModel("test/remote", { inputSchema, outputSchema: {} })
  return { ...built, model: { ...built.model, providers: [{ name: "worker", adapter: "http", url }] } }
}

const catalog = Layer.unwrap(
  Effect.map(Worker, ({ url }) => BuiltinCatalog.layerOf([...BuiltinCatalog.builtinModels, remote(url)]))
)

const serving = TestServer.layer({ catalog: Layer.provide(catalog, Worker.layer), dispatches: true })

layer(serving, { excludeTestServices: true })("an input of", (it) => {
  it.effect.each(sizes)("%i bytes runs at a model that reads it", (size) =>
    Effect.gen(function* () {
      const body = JSON.stringify(inputOf(size))
      assert.lengthOf(body, size)
      const reply = yield* call({
        method: "POST",
        path: "/vision/blurhash?wait=60",
        headers: jsonHeaders,
        body
      })
      assert.deepInclude(reply.json, { outcome: "succeeded", status: "COMPLETED" }, reply.text)
    })
  )

  it.effect.each(sizes)("%i bytes reaches a worker whole", (size) =>
    Effect.gen(function* () {
      const input = inputOf(size)
      const reply = yield* call({
        method: "POST",
        path: "/test/remote?wait=60",
        headers: jsonHeaders,
        body: JSON.stringify(input)
      })
      assert.deepInclude(reply.json, { output: { length: input.image.length } }, reply.text)
    })
  )

  it.effect.each(sizes)("%i bytes runs for fal's client", (size) =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const fal = FalClients.connect(urls.queueUrl, key.replace(/^Key /, ""))
      const { data } = yield* Effect.promise(() => fal.run("vision/blurhash", { input: inputOf(size) }))
      assert.containsAllKeys(data, ["blurhash", "width", "height"])
    })
  )

  it.effect.each(sizes)("%i bytes runs for Replicate's client", (size) =>
    Effect.gen(function* () {
      const replicate = yield* Clients.client("key", { prefer: "wait=60" })
      const prediction = yield* Clients.create(replicate, { model: "vision/blurhash", input: inputOf(size) })
      assert.deepInclude(prediction, { status: "succeeded", error: null })
    })
  )

  it.effect.each(sizes)("%i bytes runs as the message of a chat", (size) =>
    Effect.gen(function* () {
      const reply = yield* call({
        method: "POST",
        path: "/v1/chat/completions",
        headers: jsonHeaders,
        body: JSON.stringify({
          model: "sandbox/chat",
          max_tokens: 1,
          messages: [{ role: "user", content: inputOf(size).image }]
        })
      })
      assert.strictEqual(reply.status, 200, reply.text.slice(0, 200))
    })
  )
})
