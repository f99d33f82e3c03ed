/** What clients and providers send reaches everyone as it came (docs/reference/json.md), through a server as users run it. */
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as JsonText from "#domain/JsonText.ts"
import { workerKey } from "#test/support/attacks/OneModel.ts"
import * as ServerProcess from "#test/support/ServerProcess.ts"
import * as Until from "#test/support/Until.ts"

/** Order of members, digits, escapes, blanks and line ends that a program which writes JSON anew would change. */
const value =
  '{ "zebra":1.10, "10":[18446744073709551615,-0.0],\r\n"apple":{"z":"caf\\u00e9 \\/","a":9007199254740993} }'

/** Outputs that are no object and no array: a number in digits of its own, one that JavaScript rounds, and a text with escapes. */
const bare = ["1.10", "18446744073709551615", '"caf\\u00e9 \\/"']

/** In a line of server-sent events. */
const line = JsonText.oneLine(value)

interface Seen {
  readonly url: string
  readonly body: string
}

let directory: string
let upstream: http.Server
let server: ServerProcess.ServerProcess
const seen: Array<Seen> = []

const bodyOf = async (request: http.IncomingMessage): Promise<string> => {
  const parts: Array<Uint8Array> = []
  for await (const part of request) parts.push(part as Uint8Array)
  return Buffer.concat(parts).toString()
}

const events = (response: http.ServerResponse, text: string) =>
  response.writeHead(200, { "content-type": "text/event-stream" }).end(text)

/** A stream of bare values, and of an object. */
const parts = ["1.10", line, "18446744073709551615"]

const answer = (url: string, response: http.ServerResponse): void => {
  const output = bare[Number(/^\/bare\/(\d)/.exec(url)?.[1])]
  if (output !== undefined) {
    const ends = `"output": ${output}, "metrics":{}}`
    if (url.endsWith("/worker")) response.end(`{${ends}`)
    else if (url.includes("/predictions"))
      response.writeHead(201).end(`{"id":"p1","status":"succeeded",${ends}`)
    else response.end(`{"id":"j1","status":"COMPLETED",${ends}`)
  } else if (url === "/worker") response.end(`{"output":${value},"units":null}`)
  else if (url === "/parts") {
    const chunks = parts.map((part) => `event: chunk\ndata: ${part}\n\n`)
    events(response, `${chunks.join("")}event: completed\ndata: {}\n\n`)
  } else if (url === "/fal/acme/app/stream") {
    events(response, parts.map((part) => `data: {"part":${part}}\n\n`).join(""))
  } else if (url.startsWith("/cog/predictions/")) {
    const chunks = parts.map((part, index) => `event: output\ndata: {"chunk":${part},"index":${index}}\n\n`)
    const whole = `{"status":"succeeded","output":[${parts.join(",")}]}`
    events(response, `${chunks.join("")}event: completed\ndata: ${whole}\n\n`)
  } else if (url.endsWith("/generate_stream")) {
    events(response, parts.map((part) => `data: {"text_output":${part}}\n\n`).join(""))
  } else if (url.startsWith("/v2/models/tensors/")) {
    const tensor = '{"name":"y","datatype":"INT64","shape":[2],"data":[9007199254740993,1]}'
    response.end(`{"model_name":"tensors","outputs":[${tensor}]}`)
  } else if (url === "/stream")
    events(response, `event: chunk\ndata: ${line}\n\nevent: completed\ndata: {}\n\n`)
  else if (url === "/replicate/predictions") {
    response.writeHead(201).end(`{"id":"p1","status":"succeeded","output":${value}}`)
  } else if (url.startsWith("/replicate/")) response.end(`{"id":"p1","status":"succeeded","output":${value}}`)
  else if (url.endsWith("/run")) response.end('{"id":"j1","status":"IN_QUEUE"}')
  else if (url.startsWith("/runpod/")) response.end(`{"id":"j1","status":"COMPLETED","output":${value}}`)
  else if (url.startsWith("/v2/models/")) response.end(`{"model_name":"m","outputs":[],"note":${value}}`)
  else if (url === "/v1/responses") response.end(`{"object":"response","output":[],"note":${value}}`)
  else if (url === "/v1/chat/completions") {
    const chunk = `{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}],"note":${line}}`
    events(response, `data: ${chunk}\n\ndata: [DONE]\n\n`)
  } else response.writeHead(204).end()
}

const manifest = (name: string, provider: object, more: object = {}) =>
  JSON.stringify({
    kind: "model",
    name: `acme/${name}`,
    displayName: name,
    category: "text",
    provider,
    pricing: { unit: "request", unitPrice: "0.001" },
    inputSchema: { type: "object" },
    outputSchema: {},
    exampleInput: {},
    ...more
  })

const manifests = (url: string) => [
  manifest("worker", { adapter: "http", url: `${url}/worker` }),
  ...bare.flatMap((_, index) => [
    manifest(`bare-worker-${index}`, { adapter: "http", url: `${url}/bare/${index}/worker` }),
    manifest(`bare-replicate-${index}`, {
      adapter: "replicate",
      url: `${url}/bare/${index}`,
      secretEnv: "PROVIDER_KEY",
      options: { version: "v" }
    }),
    manifest(`bare-runpod-${index}`, {
      adapter: "runpod",
      url: `${url}/bare/${index}`,
      secretEnv: "PROVIDER_KEY",
      options: { endpointId: "e1" }
    })
  ]),
  manifest("mapped", {
    adapter: "http",
    url: `${url}/worker`,
    input: '{ "prompt": prompt, "all": $keep ? $ : 1 }'
  }),
  manifest("returned", { adapter: "http", url: `${url}/worker`, input: '{ "seed": seed }' }),
  manifest("items", { adapter: "http", url: `${url}/stream` }, { output: { stream: "items" } }),
  manifest("parts", { adapter: "http", url: `${url}/parts` }, { output: { stream: "items" } }),
  manifest("last-part", { adapter: "http", url: `${url}/parts` }, { output: { stream: "last" } }),
  manifest("cog-parts", { adapter: "cog", url: `${url}/cog` }, { output: { stream: "items" } }),
  manifest(
    "fal-parts",
    {
      adapter: "fal",
      url: `${url}/fal`,
      secretEnv: "PROVIDER_KEY",
      options: { app: "acme/app", chunk: "part" }
    },
    { output: { stream: "items" } }
  ),
  manifest(
    "triton-parts",
    { adapter: "kserve", url, options: { model: "m", outputs: { part: "text_output" } } },
    { output: { stream: "items" } }
  ),
  manifest(
    "fal-last-part",
    {
      adapter: "fal",
      url: `${url}/fal`,
      secretEnv: "PROVIDER_KEY",
      options: { app: "acme/app", chunk: "part" }
    },
    { output: { stream: "last" } }
  ),
  manifest("tensors", {
    adapter: "kserve",
    url,
    options: { model: "tensors", inputs: { x: { datatype: "INT64" } }, outputs: { y: "y" } }
  }),
  manifest("pulled", { adapter: "pull" }, { output: { stream: "items" } }),
  manifest("replicate", {
    adapter: "replicate",
    url: `${url}/replicate`,
    secretEnv: "PROVIDER_KEY",
    options: { version: "v" }
  }),
  manifest("runpod", {
    adapter: "runpod",
    url: `${url}/runpod`,
    secretEnv: "PROVIDER_KEY",
    options: { endpointId: "e1" }
  }),
  manifest("kserve", { adapter: "kserve", url, options: { model: "m" } }),
  manifest(
    "responses",
    { adapter: "openai", url: `${url}/v1`, options: { endpoint: "responses", model: "m" } },
    { serves: ["responses"] }
  ),
  manifest(
    "chat",
    { adapter: "openai", url: `${url}/v1`, options: { endpoint: "chat", model: "m" } },
    { serves: ["chat"], output: { stream: "openai" } }
  )
]

beforeAll(async () => {
  directory = fs.mkdtempSync("/tmp/inferlog-sent-")
  upstream = http.createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const url = (request.url ?? "").replace(/\?.*/, "")
      seen.push({ url, body })
      response.setHeader("content-type", "application/json")
      answer(url, response)
    })
  })
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve))
  const models = path.join(directory, "models")
  fs.mkdirSync(models)
  manifests(upstreamUrl()).forEach((text, index) =>
    fs.writeFileSync(path.join(models, `${index}.json`), text)
  )
  server = await ServerProcess.start({
    dataDirectory: path.join(directory, "data"),
    port: await ServerProcess.freePort(),
    env: {
      MODELS_DIR: models,
      ALLOW_PRIVATE_TARGETS: "true",
      PROVIDER_KEY: "secret",
      PROVIDER_SECRETS: "PROVIDER_KEY"
    }
  })
}, 60_000)
afterAll(async () => {
  await server.kill("SIGTERM")
  upstream.closeAllConnections()
  upstream.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const upstreamUrl = () => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

const post = async (route: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
  const response = await fetch(server.url + route, {
    method: "POST",
    headers: { "content-type": "application/json", ...ServerProcess.authorization, ...headers },
    body
  })
  return { status: response.status, text: await response.text() }
}

/** The id of the newest request. */
const newest = async (): Promise<string> => {
  const response = await fetch(`${server.url}/requests?limit=1`, { headers: ServerProcess.authorization })
  return JSON.parse(await response.text()).data[0].id
}

/** The newest call of the upstream at a path that ends so. */
const sent = (end: string): string => seen.findLast(({ url }) => url.endsWith(end))?.body ?? ""

describe("A payload", () => {
  it.each([
    ["worker", "/worker"],
    ["replicate", "/replicate/predictions"],
    ["runpod", "/run"]
  ])("goes to the provider and back as it came: %s", async (model, at) => {
    const { text } = await post(`/acme/${model}?wait=20`, `{"note":${value}}`)
    assert.include(sent(at), `"input":{"note":${value}}`)
    assert.include(text, `"input":{"note":${value}}`)
    assert.include(text, `"output":${value}`)
  })

  it.each(["worker", "replicate", "runpod"])(
    "that is a bare number or text comes back as it came: %s",
    async (adapter) => {
      for (const [index, output] of bare.entries()) {
        const { text } = await post(`/acme/bare-${adapter}-${index}?wait=20`, "{}")
        assert.include(text, `"output":${output}`)
      }
    }
  )

  it("is echoed by the sandbox, also a number", async () => {
    const { text } = await post("/sandbox/echo?wait=20", '{"delayMs":0,"value":18446744073709551615}')
    assert.include(text, '"output":{"value":18446744073709551615}')
  })

  it("goes beside the tensors of an inference request", async () => {
    const { text } = await post("/acme/kserve?wait=20", `{"inputs":[],"parameters":${value}}`)
    assert.include(sent("/infer"), `"parameters":${value}`)
    assert.include(text, `"note":${value}`)
  })

  it("keeps its place when the reserved members are cut out, and is in the webhook", async () => {
    const before = seen.length
    const reserved = `"webhook":"${upstreamUrl()}/hook","webhook_events_filter":["completed"]`
    await post("/acme/worker?wait=20", `{"first":1,${reserved},"note":${value}}`)
    assert.include(sent("/worker"), `"input":{"first":1,"note":${value}}`)
    const hook = () => seen.slice(before).find(({ url }) => url === "/hook")?.body ?? ""
    await Effect.runPromise(Until.holds("the webhook has come", () => hook() !== "", hook, Until.processes))
    assert.include(hook(), `"input":{"first":1,"note":${value}}`)
    assert.include(hook(), `"output":${value}`)
  })

  it("is a chunk of a live output, on one line", async () => {
    const { text } = await post("/acme/items", `{"note":${value}}`, { accept: "text/event-stream" })
    assert.include(text, `data: ${line}\n`)
  })

  it.each([
    ["parts", (part: string) => part],
    ["cog-parts", (part: string) => part],
    ["fal-parts", (part: string) => part],
    ["triton-parts", (part: string) => `{"part":${part}}`]
  ] as const)(
    "is a part of a live output and of the output as it came, also a bare number: %s",
    async (model, of) => {
      const { text } = await post(`/acme/${model}`, "{}", { accept: "text/event-stream" })
      for (const part of parts) assert.include(text, `data: ${of(part)}\n`)
      const whole = await post(`/acme/${model}?wait=20`, "{}")
      assert.include(whole.text, `"output":[${parts.map(of).join(",")}]`)
    }
  )

  it("is a part of a live output and of the output as a pull worker reports it", async () => {
    const worker = {
      authorization: `Key ${await Effect.runPromise(workerKey(path.join(directory, "data")))}`
    }
    const answer = post("/acme/pulled?wait=20", "{}")
    const { leaseId } = JSON.parse((await post("/workers/claim", '{"wait":20}', worker)).text).job
    const live = fetch(`${server.url}/acme/pulled/requests/${await newest()}/output/stream`, {
      headers: ServerProcess.authorization
    }).then((response) => response.text())
    await post(`/workers/jobs/${leaseId}/chunks`, `{"from":0,"chunks":[${parts.join(",")}]}`, worker)
    await post(`/workers/jobs/${leaseId}/result`, `{"output":[${parts.join(",")}]}`, worker)
    for (const part of parts) assert.include(await live, `data: ${part}\n`)
    assert.include((await answer).text, `"output":[${parts.join(",")}]`)
  })

  it.each(["last-part", "fal-last-part"])("is the last part of an output as it came: %s", async (model) => {
    const { text } = await post(`/acme/${model}?wait=20`, "{}")
    assert.include(text, `"output":${parts.at(-1)}`)
  })

  it("keeps integers past 2^53 in tensors", async () => {
    const { text } = await post("/acme/tensors?wait=20", '{"x":[9223372036854775807,2]}')
    assert.include(sent("/infer"), '"data":[9223372036854775807,2]')
    assert.include(text, '"output":{"y":[9007199254740993,1]}')
  })

  it("passes OpenAI's API", async () => {
    await post(
      "/v1/chat/completions",
      `{"model":"acme/chat","messages":[],"seed":18446744073709551615,"x":${value}}`
    )
    assert.include(sent("/v1/chat/completions"), `"seed":18446744073709551615,"x":${value}`)
    const streamed = await post("/v1/chat/completions", '{"model":"acme/chat","messages":[],"stream":true}')
    assert.include(streamed.text, `"note":${line}`)
    const { text } = await post(
      "/v1/responses",
      `{"model":"acme/responses","input":"x","metadata":{},"x":${value}}`
    )
    assert.include(sent("/v1/responses"), `"x":${value}`)
    assert.include(text, `"note":${value}`)
  })

  it("passes the calls of fal's and Replicate's clients", async () => {
    const target = { "x-fal-target-url": "https://fal.run/acme/worker" }
    assert.strictEqual((await post("/compat/fal", `{"note":${value}}`, target)).text, value)
    assert.include(sent("/worker"), `"input":{"note":${value}}`)
    const prediction = `{"version":"acme/worker","input":{"note":${value}}}`
    const { text } = await post("/compat/replicate/v1/predictions", prediction, { prefer: "wait=20" })
    assert.include(text, `"input":{"note":${value}}`)
    assert.include(text, `"output":${value}`)
  })
})

describe("An expression", () => {
  it("that would return an integer past 2^53 makes the submit fail with its place, and nothing is held", async () => {
    const { status, text } = await post("/acme/returned", '{"seed":18446744073709551615}')
    assert.strictEqual(status, 400)
    assert.deepStrictEqual(JSON.parse(text).error[0].path, ["seed"])
    const balance = await fetch(`${server.url}/account/balance`, { headers: ServerProcess.authorization })
    assert.deepInclude(await balance.json(), { reserved: "0" })
  })

  it("may read an input that has one, as long as it returns other members", async () => {
    const { text } = await post("/acme/mapped?wait=20", '{"prompt":"x","seed":18446744073709551615}')
    assert.include(text, '"seed":18446744073709551615')
    assert.include(sent("/worker"), '"input":{"prompt":"x","all":1}')
  })
})
