/**
 * Pictures in the body of a request, with sizes on both sides of each internal limit.
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
import * as McpMessages from "#test/support/src/edges/mcp/McpMessages.ts"
import * as OAuth from "#test/support/src/edges/oauth/OAuthCalls.ts"
import * as InputSizes from "#test/support/InputSizes.ts"
import * as Clients from "#test/support/src/edges/replicate/Clients.ts"

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
  it.effect.each(InputSizes.all)("%i bytes runs at a model that reads it", (size) =>
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

  it.effect.each(InputSizes.all)("%i bytes reaches a worker whole", (size) =>
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

  it.effect.each(InputSizes.all)("%i bytes runs for fal's client", (size) =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const fal = FalClients.connect(urls.queueUrl, key.replace(/^Key /, ""))
      const { data } = yield* Effect.promise(() => fal.run("vision/blurhash", { input: inputOf(size) }))
      assert.containsAllKeys(data, ["blurhash", "width", "height"])
    })
  )

  it.effect.each(InputSizes.all)("%i bytes runs for Replicate's client", (size) =>
    Effect.gen(function* () {
      const replicate = yield* Clients.client("key", { prefer: "wait=60" })
      const prediction = yield* Clients.create(replicate, { model: "vision/blurhash", input: inputOf(size) })
      assert.deepInclude(prediction, { status: "succeeded", error: null })
    })
  )

  it.effect.each(InputSizes.all)("%i bytes runs as the message of a chat", (size) =>
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
  it.effect.each(InputSizes.all)("%i bytes runs as the input of a response", (size) =>
    Effect.gen(function* () {
      const reply = yield* call({
        method: "POST",
        path: "/v1/responses",
        headers: jsonHeaders,
        body: JSON.stringify({ model: "sandbox/chat", max_output_tokens: 1, input: inputOf(size).image })
      })
      assert.strictEqual(reply.status, 200, reply.text.slice(0, 200))
    })
  )

  it.effect("every size runs for an assistant", () =>
    Effect.gen(function* () {
      const { key, urls } = yield* TestServer.TestServer
      const { access } = yield* OAuth.signedIn(key)
      const begun = yield* McpMessages.begin(`${urls.mcpUrl}/mcp`, access)
      for (const size of InputSizes.all) {
        // The message around the input counts to the same limit.
        const input = inputOf(Math.min(size, 10_000 * 1024))
        const { requestId } = yield* begun.tool("run_model", { modelEndpoint: "vision/blurhash", input })
        const report = yield* begun.tool("wait_for_request", { requestId, timeoutSeconds: 50 })
        assert.deepInclude(report, { status: "COMPLETED", outcome: "succeeded" }, `${size} bytes`)
      }
    })
  )
})
