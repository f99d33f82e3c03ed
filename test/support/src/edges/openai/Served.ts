/** A server whose models answer OpenAI's API over a fake vLLM, and the key for it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { APIError } from "openai"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Vllm from "#test/support/upstreams/Vllm.ts"

export interface Served {
  readonly server: ServerProcess.ServerProcess
  readonly vllm: Vllm.Vllm
  /** `baseURL` of clients. */
  readonly baseURL: string
  readonly apiKey: string
  readonly stop: () => Promise<void>
}

const chat = (url: string, name: string, more: string) => `
kind: model
name: acme/${name}
displayName: Llama
category: text
provider:
  adapter: openai
  name: vllm-${name}
  url: ${url}
  options: { endpoint: chat, model: ${Vllm.model} }
  ${more}
pricing:
  unit: 1k_tokens
  unitPrice: "0.01"
  maxQuantity: "(max_completion_tokens ? max_completion_tokens : max_tokens ? max_tokens : 4096) / 1000 + 100"
  delivered: output.usage.total_tokens / 1000
serves: [chat]
concurrency: 64
inputSchema:
  type: object
  required: [messages]
  properties:
    messages: { type: array, minItems: 1, maxItems: 1000, items: { type: object } }
outputSchema: { type: object, properties: { choices: { type: array } }, required: [choices] }
exampleInput: { messages: [{ role: user, content: Hello }] }
`

const other = (url: string, call: string, endpoint: string, input: string, output: string) => `
kind: model
name: acme/${call}
displayName: Another model
category: utility
provider: { adapter: openai, name: vllm-${call}, url: "${url}", options: { endpoint: ${endpoint}, model: ${Vllm.model} } }
pricing: { unit: request, unitPrice: "0.001" }
serves: [${call}]
${endpoint === "completions" ? "output: { stream: openai }" : ""}
inputSchema: ${input}
outputSchema: ${output}
exampleInput: { prompt: Hello, input: Hello, file: "https://example.com/a.mp3" }
`

const anyObject = "{ type: object }"
const withUrl = "{ type: object, properties: { url: { type: string, format: uri } } }"
const pictures =
  "{ type: object, properties: { data: { type: array, items: { type: object, properties: { url: { type: string, format: uri } } } } } }"

const manifests = (url: string): Readonly<Record<string, string>> => ({
  "chat.yaml": `${chat(url, "llama", "")}output: { stream: openai }\n`,
  "whole.yaml": chat(url, "whole", ""),
  "one.yaml": `${chat(url, "one", "")}output: { stream: openai }\n`.replace(
    "concurrency: 64",
    "concurrency: 1"
  ),
  // At two providers, which are told apart by the name of the model.
  "two.yaml": `${chat(url, "two", "")}output: { stream: openai }\n`.replace(
    /provider:.*?\n  \n/s,
    `providers:
  - { adapter: openai, name: first, url: "${url}", options: { endpoint: chat, model: first } }
  - { adapter: openai, name: second, url: "${url}", options: { endpoint: chat, model: second } }
`
  ),
  "text.yaml": `${chat(url, "text", "output: choices[0].message.content")}output: { stream: text }\n`
    .replace(
      "outputSchema: { type: object, properties: { choices: { type: array } }, required: [choices] }",
      "outputSchema: { type: string }"
    )
    .replace("delivered: output.usage.total_tokens / 1000", "delivered: $length(output) / 4000"),
  "completions.yaml": other(url, "completions", "completions", anyObject, anyObject),
  "embeddings.yaml": other(url, "embeddings", "embeddings", anyObject, anyObject),
  "images.yaml": other(url, "images", "images", anyObject, pictures),
  "speech.yaml": other(url, "speech", "speech", anyObject, withUrl),
  "transcriptions.yaml": other(url, "transcriptions", "transcriptions", anyObject, anyObject)
})

export const start = async (env: Readonly<Record<string, string>> = {}): Promise<Served> => {
  const scope = await Effect.runPromise(Scope.make())
  const vllm = await Effect.runPromise(Scope.provide(Vllm.make, scope))
  const directory = fs.mkdtempSync("/tmp/inferlog-openai-")
  const models = path.join(directory, "models")
  fs.mkdirSync(models)
  for (const [name, text] of Object.entries(manifests(vllm.url)))
    fs.writeFileSync(path.join(models, name), text)
  const server = await ServerProcess.start({
    dataDirectory: path.join(directory, "data"),
    port: await ServerProcess.freePort(),
    env: { MODELS_DIR: models, ...env }
  })
  return {
    server,
    vllm,
    baseURL: `${server.url}/v1`,
    apiKey: ServerProcess.apiKey,
    stop: async () => {
      await server.kill("SIGTERM")
      await Effect.runPromise(Scope.close(scope, Exit.void))
      fs.rmSync(directory, { recursive: true, force: true })
    }
  }
}

/** The newest request, as this server's own API shows it. */
export const newest = async ({ apiKey, server }: Served): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(`${server.url}/requests?limit=1`, {
    headers: { authorization: `Bearer ${apiKey}` }
  })
  const page = (await response.json()) as { readonly data: ReadonlyArray<Record<string, unknown>> }
  return page.data[0] ?? {}
}

/** The same, once it has ended. */
export const newestEnded = async (served: Served): Promise<Readonly<Record<string, unknown>>> => {
  const request = await newest(served)
  return request["outcome"] === "pending" ? newestEnded(served) : request
}

/** The same, once it has the status. */
export const newestOf = async (
  served: Served,
  status: string
): Promise<Readonly<Record<string, unknown>>> => {
  const request = await newest(served)
  return request["status"] === status ? request : newestOf(served, status)
}

/** The error in which a call of the client must end. */
export const errorOf = async (call: Promise<unknown>): Promise<APIError> => {
  const error: unknown = await call.then(
    (value) => JSON.stringify(value),
    (error: unknown) => error
  )
  return error instanceof APIError ? error : assert.fail(`expected an error of the API: ${String(error)}`)
}

export const all = async <A>(items: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const item of items) found.push(item)
  return found
}
