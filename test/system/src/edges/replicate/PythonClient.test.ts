/**
 * The calls of Replicate's Python client (`replicate` 0.x and 1.0, https://github.com/replicate/replicate-python), as it writes them: by
 * the headings of its README. Its models of answers refuse what lacks a field, so each answer is checked as they check it.
 */
import * as http from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Until from "#test/support/Until.ts"
import { apiKey } from "#test/support/ServerProcess.ts"
import { png, poem, ReplicateServer } from "#test/support/src/edges/replicate/ReplicateServer.ts"

type Server = ReplicateServer["Service"]

type Fields = Readonly<Record<string, unknown>>

interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
  /** Of a JSON body. */
  readonly json: Fields
}

/** `REPLICATE_BASE_URL`: the client adds `/v1` itself. */
const base = "/compat/replicate"

/** What httpx sends with each request. */
const common = {
  accept: "*/*",
  "accept-encoding": "gzip, deflate",
  connection: "keep-alive",
  "user-agent": "replicate-python/1.0.7",
  authorization: `Bearer ${apiKey}`
}

interface Sending {
  readonly method: string
  /** A path, or a URL of an answer. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Exactly these headers, and no others. */
const send = (server: Server, { body, headers = {}, method, url }: Sending): Promise<Answer> => {
  const path = url.startsWith("https:") ? url.replace(/^https:\/\/[^/]+/, "") : base + url
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const request = http.request(server.url + path, { method, headers: { ...common, ...headers, ...length } })
    request.on("error", reject)
    request.on("response", (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("error", reject)
      response.on("end", () => {
        const bytes = Buffer.concat(parts)
        const isJson = String(response.headers["content-type"]).startsWith("application/json")
        const json = isJson && response.headers["content-encoding"] === undefined ? bytes.toString() : "{}"
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes,
          json: JSON.parse(json === "" ? "{}" : json)
        })
      })
    })
    request.end(body)
  })
}

const get = (server: Server, url: string) => send(server, { method: "GET", url })

/** @param body as `json.dumps` writes it, with `", "` and escapes. */
const post = (server: Server, url: string, body: string, headers: Readonly<Record<string, string>> = {}) =>
  send(server, { method: "POST", url, headers: { "content-type": "application/json", ...headers }, body })

const text = (value: unknown, name: string) => assert.isString(value, name)
const optionalText = (value: unknown, name: string) => {
  if (value !== null && value !== undefined) assert.isString(value, name)
}

/** `replicate.prediction.Prediction` */
const predictionOf = ({ json, status }: Pick<Answer, "json" | "status">) => {
  assert.include([200, 201, 202], status, JSON.stringify(json))
  for (const name of ["id", "model", "version"]) text(json[name], name)
  assert.include(["starting", "processing", "succeeded", "failed", "canceled"], json["status"])
  for (const name of ["logs", "error", "created_at", "started_at", "completed_at"])
    optionalText(json[name], name)
  const urls = json["urls"] as Readonly<Record<string, string>>
  for (const [name, url] of Object.entries(urls)) text(url, name)
  const prediction: Fields & { readonly urls: typeof urls; readonly id: string } = {
    ...json,
    urls,
    id: String(json["id"])
  }
  return prediction
}

/** `replicate.version.Version` */
const checkVersion = (json: Fields) => {
  text(json["id"], "id")
  assert.isFalse(Number.isNaN(Date.parse(String(json["created_at"]))))
  // `packaging.version.parse`
  assert.match(String(json["cog_version"]), /^\d+\.\d+\.\d+$/)
  assert.isObject(json["openapi_schema"])
}

/** `replicate.model.Model` */
const checkModel = (json: Fields) => {
  for (const name of ["url", "owner", "name", "visibility"]) text(json[name], name)
  for (const name of ["description", "github_url", "paper_url", "license_url", "cover_image_url"])
    optionalText(json[name], name)
  assert.isNumber(json["run_count"])
  checkVersion(json["latest_version"] as Fields)
}

/** `replicate.file.File` */
const fileOf = ({ json, status }: Answer) => {
  assert.include([200, 201], status, JSON.stringify(json))
  for (const name of ["id", "name", "content_type", "etag", "created_at"]) text(json[name], name)
  assert.isNumber(json["size"])
  for (const [name, sum] of Object.entries(Object(json["checksums"]))) text(sum, name)
  assert.isObject(json["metadata"])
  return { id: String(json["id"]), url: String(Object(json["urls"]).get) }
}

const resultsOf = ({ json, status }: Answer): ReadonlyArray<Fields> => {
  assert.strictEqual(status, 200)
  optionalText(json["next"], "next")
  optionalText(json["previous"], "previous")
  return json["results"] as ReadonlyArray<Fields>
}

const versionOf = async (server: Server, model: string) => {
  const { json } = await get(server, `/v1/models/${model}`)
  checkModel(json)
  const { id } = json["latest_version"] as { readonly id: string }
  return id
}

/** `prediction.wait()`: reloads until the end. */
const ended = (server: Server, id: string) =>
  Effect.runPromise(
    Until.answers(async () => {
      const found = predictionOf(await get(server, `/v1/predictions/${id}`))
      if (["succeeded", "failed", "canceled"].includes(String(found["status"]))) return found
      throw new Error("It goes on")
    }, Until.processes)
  )

/** As `requests` and httpx write it. */
const form = (fileName: string, type: string, bytes: Buffer) => {
  const boundary = "f64a6c6ac4fed507b9430635c33d4f7c"
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="content"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n`
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  }
}

const upload = (server: Server, fileName: string) =>
  send(server, { method: "POST", url: "/v1/files", ...form(fileName, "image/png", png) })

/** The events as `EventSource.Decoder` reads them: each has an id before it, and a name that it knows. */
const eventsOf = (text: string) => {
  let last: string | null = null
  return text
    .split("\n\n")
    .filter((block) => block.trim() !== "" && !block.startsWith(":"))
    .map((block) => {
      const lines = block.split("\n")
      const field = (name: string) =>
        lines.flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))
      last = field("id")[0] ?? last
      assert.isNotNull(last, "an event without an id is not seen")
      const [event] = field("event")
      assert.include(["output", "logs", "error", "done"], event)
      return { event, data: field("data").join("\n") }
    })
}

const stream = { accept: "text/event-stream", "cache-control": "no-store" }

const examples: Readonly<Record<string, (server: Server) => Promise<void>>> = {
  "Run a model: replicate.run with a version": async (server) => {
    const model = "stability-ai/stable-diffusion"
    const version = await versionOf(server, model)
    const body = `{"input": {"prompt": "a 19th century portrait of a wombat gentleman"}, "version": "${version}"}`
    const { id } = predictionOf(await post(server, "/v1/predictions", body, { prefer: "wait" }))
    checkVersion((await get(server, `/v1/models/${model}/versions/${version}`)).json)
    const [url] = (await ended(server, id))["output"] as [string]
    // `FileOutput.read()`, with the token.
    assert.deepStrictEqual((await get(server, url)).bytes, png)
  },

  "Run a model: wait=60, without a version, other than ASCII": async (server) => {
    const body = '{"input": {"text": "caf\\u00e9 \\ud83d\\ude00"}}'
    const url = "/v1/models/replicate/hello-world/predictions"
    const answer = await post(server, url, body, { prefer: "wait=60" })
    assert.deepInclude(predictionOf(answer), {
      status: "succeeded",
      input: { text: "café 😀" },
      output: "hello café 😀"
    })
    // Of httpx from 0.28 on.
    const compact = await post(server, url, '{"input":{"text":"café 😀"}}', { prefer: "wait=60" })
    assert.strictEqual(predictionOf(compact)["output"], "hello café 😀")
  },

  "Run a model: a file, which is uploaded first": async (server) => {
    const { url } = fileOf(await upload(server, "mystery.png"))
    const version = await versionOf(server, "nightmareai/real-esrgan")
    const body = `{"input": {"image": "${url}"}, "version": "${version}"}`
    const answer = await post(server, "/v1/predictions", body, { prefer: "wait=60" })
    assert.lengthOf(predictionOf(answer)["output"] as ReadonlyArray<unknown>, 1)
    const given = server.worker.runs.findLast(({ model }) => model === "nightmareai/real-esrgan")
    const read = await server.toServer(given?.input["image"] ?? "")
    assert.deepStrictEqual(Buffer.from(await read.arrayBuffer()), png)
  },

  "Run a model: a file as data URI": async (server) => {
    const image = `data:image/png;base64,${png.toString("base64")}`
    const url = "/v1/models/nightmareai/real-esrgan/predictions"
    const answer = await post(server, url, `{"input": {"image": "${image}"}}`, { prefer: "wait=60" })
    assert.strictEqual(predictionOf(answer)["status"], "succeeded")
    const given = server.worker.runs.findLast(({ model }) => model === "nightmareai/real-esrgan")
    const read = await server.toServer(given?.input["image"] ?? "")
    assert.deepStrictEqual(Buffer.from(await read.arrayBuffer()), png)
  },

  "Run a model: ModelError": async (server) => {
    const url = "/v1/models/replicate/hello-world/predictions"
    const answer = await post(server, url, '{"input": {"text": "fail"}}', { prefer: "wait" })
    assert.deepInclude(predictionOf(answer), { status: "failed", error: "out of memory" })
  },

  "Run a model and stream its output": async (server) => {
    await Effect.runPromise(server.worker.turnPage)
    const body = '{"input": {"prompt": "Please write a haiku about llamas."}, "stream": true}'
    const answer = await post(server, "/v1/models/meta/llama-2-70b-chat/predictions", body)
    const { urls } = predictionOf(answer)
    const events = await send(server, { method: "GET", url: urls["stream"] ?? "", headers: stream })
    assert.match(String(events.headers["content-type"]), /^text\/event-stream/)
    const seen = eventsOf(events.bytes.toString())
    assert.strictEqual(
      seen.map(({ data, event }) => (event === "output" ? data : "")).join(""),
      poem.join("")
    )
    assert.strictEqual(seen.at(-1)?.event, "done")
  },

  "Run a model in the background": async (server) => {
    const version = await versionOf(server, "stability-ai/stable-diffusion")
    const body = `{"input": {"prompt": "Watercolor painting of an underwater submarine"}, "version": "${version}"}`
    const created = await post(server, "/v1/predictions", body)
    const { id } = predictionOf(created)
    assert.deepInclude(created.json, { status: "starting", version })
    const found = Object(await ended(server, id))
    assert.deepInclude(found, { status: "succeeded", version })
    // `Progress.parse(prediction.logs)` looks for the last such line.
    assert.match(found.logs, /^\s*25%\|.+?\|\s*1\/4/m)
  },

  "Run a model in the background and get a webhook": async (server) => {
    const version = await versionOf(server, "replicate/hello-world")
    const webhook = server.receiver.url("/webhooks/python")
    const body = `{"input": {"text": "Ada"}, "version": "${version}", "webhook": "${webhook}", "webhook_events_filter": ["completed"]}`
    const created = await post(server, "/v1/predictions", body)
    const { id } = predictionOf(created)
    assert.deepInclude(created.json, { webhook, webhook_events_filter: ["completed"] })
    const sent = await Effect.runPromise(
      Until.answers(
        async () =>
          server.receiver.posts().find((post) => post.body.toString().includes(id)) ??
          Promise.reject(new Error("No webhook has come")),
        Until.processes
      )
    )
    assert.deepInclude(JSON.parse(sent.body.toString()), { id, event: "completed", output: "hello Ada" })
  },

  "Get output from a running model: an iterator": async (server) => {
    const model = "pixray/text2image"
    const version = await versionOf(server, model)
    const body = `{"input": {"prompts": "san francisco sunset"}, "version": "${version}"}`
    const { id } = predictionOf(await post(server, "/v1/predictions", body))
    const { json } = await get(server, `/v1/models/${model}/versions/${version}`)
    checkVersion(json)
    const { schemas } = Object(json["openapi_schema"]).components
    assert.deepInclude(schemas.Output, { type: "array", "x-cog-array-type": "iterator" })
    assert.lengthOf((await ended(server, id))["output"] as ReadonlyArray<unknown>, 1)
  },

  "Cancel a prediction": async (server) => {
    const url = "/v1/models/sandbox/slow/predictions"
    const { id } = predictionOf(await post(server, url, '{"input": {"seconds": 60}}'))
    const canceled = await send(server, { method: "POST", url: `/v1/predictions/${id}/cancel` })
    predictionOf(canceled)
    assert.strictEqual(canceled.json["status"], "canceled")
    assert.strictEqual((await get(server, `/v1/predictions/${id}`)).json["status"], "canceled")
  },

  "List predictions": async (server) => {
    const url = "/v1/models/sandbox/echo/predictions"
    for (let count = 0; count < 101; count++)
      predictionOf(await post(server, url, `{"input": {"value": ${count}}}`))
    const first = await get(server, "/v1/predictions")
    const results = resultsOf(first)
    assert.lengthOf(results, 100)
    for (const json of results) predictionOf({ json, status: 200 })
    const second = await get(server, String(first.json["next"]))
    const known = new Set(results.map(({ id }) => id))
    assert.isTrue(resultsOf(second).every(({ id }) => !known.has(id)))
  },

  "List models, search, and one of them": async (server) => {
    for (const model of resultsOf(await get(server, "/v1/models"))) checkModel(model)
    const query = { method: "QUERY", url: "/v1/models", headers: { "content-type": "text/plain" } }
    const [found, ...others] = resultsOf(await send(server, { ...query, body: "hello-world" }))
    assert.strictEqual(found?.["name"], "hello-world")
    for (const model of [found ?? {}, ...others]) checkModel(model)
    for (const version of resultsOf(await get(server, "/v1/models/replicate/hello-world/versions")))
      checkVersion(version)
  },

  "Files: create, get, list and delete": async (server) => {
    const { id } = fileOf(await upload(server, "photo.png"))
    fileOf(await get(server, `/v1/files/${id}`))
    const files = resultsOf(await get(server, "/v1/files"))
    for (const json of files) fileOf({ status: 200, headers: {}, bytes: png, json })
    assert.include(
      files.map((file) => file["id"]),
      id
    )
    assert.strictEqual((await send(server, { method: "DELETE", url: `/v1/files/${id}` })).status, 204)
  },

  "Deployments: get, and a prediction": async (server) => {
    const { json } = await get(server, "/v1/deployments/replicate/hello-world")
    const { configuration, number, ...release } = Object(json["current_release"])
    assert.strictEqual(number, 1)
    for (const name of ["model", "version", "created_at"]) text(release[name], name)
    text(configuration.hardware, "hardware")
    for (const name of ["min_instances", "max_instances"]) assert.isNumber(configuration[name], name)
    const url = "/v1/deployments/replicate/hello-world/predictions"
    const answer = await post(server, url, '{"input": {"text": "Bob"}}', { prefer: "wait=60" })
    assert.strictEqual(predictionOf(answer)["output"], "hello Bob")
  },

  "Accounts: the current one": async (server) => {
    const { json } = await get(server, "/v1/account")
    assert.strictEqual(json["type"], "organization")
    for (const name of ["username", "name"]) text(json[name], name)
  },

  "Authenticate: ReplicateError with a wrong token": async (server) => {
    const headers = { authorization: "Bearer r8_wrong" }
    const { json, status } = await send(server, { method: "GET", url: "/v1/predictions", headers })
    assert.strictEqual(status, 401)
    assert.deepInclude(json, { status: 401, title: "Unauthenticated" })
    text(json["detail"], "detail")
  }
}

layer(ReplicateServer.layer, { excludeTestServices: true, timeout: 90_000 })(
  "Replicate's Python client",
  (it) => {
    for (const [name, example] of Object.entries(examples)) {
      it.effect(name, () =>
        Effect.flatMap(ReplicateServer, (server) => Effect.promise(() => example(server)))
      )
    }
  }
)
