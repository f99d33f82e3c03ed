/** A real server with the models of the examples in Replicate's README, a worker that runs them, and the package's client. */
import * as fs from "node:fs"
import type * as http from "node:http"
import { Context, Deferred, Effect, Layer } from "effect"
import Replicate from "replicate"
import * as JsonHttp from "#test/support/upstreams/JsonHttp.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as TempDirectory from "#test/support/TempDirectory.ts"
import * as WebhookReceiver from "#test/support/WebhookReceiver.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"

/** One pixel. */
export const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

const picture = `data:image/png;base64,${png.toString("base64")}`

const files = { type: "array", items: { type: "string", format: "uri" } }

const manifest = (name: string, port: number, inputs: object, outputSchema: object, more: object = {}) => ({
  kind: "model",
  name,
  displayName: name,
  description: `As ${name} on Replicate.`,
  category: "utility",
  tags: ["replicate"],
  provider: { adapter: "http", url: `http://127.0.0.1:${port}/run` },
  pricing: { unit: "request", unitPrice: "0.001", minimumCharge: "0" },
  inputSchema: {
    type: "object",
    additionalProperties: false,
    properties: inputs,
    required: Object.keys(inputs)
  },
  outputSchema,
  exampleInput: Object.fromEntries(Object.keys(inputs).map((key) => [key, "https://example.com/a.png"])),
  timeoutSeconds: 60,
  concurrency: 4,
  ...more
})

const text = { type: "string" }

const manifests = (port: number) => [
  manifest("stability-ai/stable-diffusion", port, { prompt: text }, files),
  manifest("black-forest-labs/flux-schnell", port, { prompt: text }, files),
  manifest("nightmareai/real-esrgan", port, { image: { type: "string", format: "uri" } }, files),
  manifest("meta/llama-2-70b-chat", port, { prompt: text }, text, { output: { stream: "text" } }),
  manifest("replicate/hello-world", port, { text }, text),
  manifest("pixray/text2image", port, { prompts: text }, files, { output: { stream: "items" } })
]

/** Of a poem: several lines, and an empty one. */
export const poem = ["A loss", " falls\n\nlike", " leaves", "\n"] as const

interface Run {
  readonly model: string
  readonly input: Readonly<Record<string, string>>
}

/** Answers runs at once, but for poems: the chunks after the first wait for `turnPage`. */
const makeWorker = Effect.gen(function* () {
  const runs: Array<Run> = []
  const turned = yield* Deferred.make<void>()
  const write = (response: http.ServerResponse, event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  const outputOf = ({ input, model }: Run) =>
    model === "replicate/hello-world" ? `hello ${input["text"]}` : [picture]
  const { port } = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => {
      if (read === null) return
      const run = read.body as unknown as Run
      runs.push(run)
      if (run.input["text"] === "fail") return JsonHttp.answer(response, 200, { error: "out of memory" })
      if (run.model !== "meta/llama-2-70b-chat") {
        return JsonHttp.answer(response, 200, { output: outputOf(run), logs: ["25%|██▌  | 1/4", "done"] })
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const [first, ...rest] = poem
      write(response, "chunk", first)
      Effect.runFork(
        Effect.map(Deferred.await(turned), () => {
          for (const chunk of rest) write(response, "chunk", chunk)
          write(response, "completed", {})
          response.end()
        })
      )
    })
  })
  return { port, runs, turnPage: Effect.asVoid(Deferred.succeed(turned, undefined)) }
})

/** The public address of the server, which the client's `fetch` leads to the process. */
const publicUrl = "https://inferlog.test"

const publicUrls = {
  QUEUE_URL: publicUrl,
  BASE_URL: publicUrl,
  MEDIA_URL: publicUrl,
  MCP_URL: publicUrl
}

const start = Effect.gen(function* () {
  const worker = yield* makeWorker
  const receiver = yield* WebhookReceiver.make()
  const directory = yield* TempDirectory.make
  const models = `${directory}/models`
  fs.mkdirSync(models)
  manifests(worker.port).forEach((one, index) =>
    fs.writeFileSync(`${models}/${index}.json`, JSON.stringify(one))
  )
  const port = yield* Effect.promise(() => ServerProcess.freePort())
  const server = yield* Effect.acquireRelease(
    Effect.promise(() =>
      ServerProcess.start({
        dataDirectory: `${directory}/data`,
        port,
        env: { ...WebhookReceiver.settings, ...publicUrls, MODELS_DIR: models }
      })
    ),
    ({ kill }) => Effect.promise(() => kill("SIGTERM"))
  )
  const toServer = (input: Request | string | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input)
    return fetch(url.replace(publicUrl, server.url), init)
  }
  const baseUrl = `${publicUrl}/compat/replicate/v1`
  const client = (auth = ServerProcess.apiKey) => new Replicate({ baseUrl, auth, fetch: toServer })
  return { worker, receiver, client, replicate: client(), toServer, url: server.url, output: server.output }
})

export class ReplicateServer extends Context.Service<ReplicateServer, Effect.Success<typeof start>>()(
  "inferlog/test/ReplicateServer"
) {
  static readonly layer = Layer.effect(ReplicateServer, start)
}
