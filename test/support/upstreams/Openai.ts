/** Endpoints of OpenAI's API that compatible servers have. `README.md` lists its documentation. */
import { Effect } from "effect"
import type * as Http from "node:http"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import type { Behaviour, Upstream } from "#test/support/src/features/providers/contract/Upstream.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"
import * as PlannedJobs from "./PlannedJobs.ts"

export type Endpoint = "chat" | "completions" | "images" | "embeddings"

interface OpenaiUpstream extends Upstream {
  /** Bodies of the accepted jobs. */
  readonly bodies: Effect.Effect<ReadonlyArray<JsonObject>>
  /** Waits until every connection is closed. */
  readonly idle: Effect.Effect<void>
}

const secret = "sk-notARealKey0123456789"
export const model = "meta-llama/Llama-3.1-8B-Instruct"
const created = 1694268190
const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const head = { id: "chatcmpl-123", created, model, system_fingerprint: "fp_44709d6fcb" }
const words = ["Hello", " there", "!"]

const choice = (delta: JsonObject, finish: string | null): JsonObject => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason: finish
})

const chunk = (choices: ReadonlyArray<Json>, used: Json): JsonObject => ({
  ...head,
  object: "chat.completion.chunk",
  choices,
  usage: used
})

const completion: JsonObject = {
  ...head,
  object: "chat.completion",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: words.join("") },
      logprobs: null,
      finish_reason: "stop"
    }
  ],
  usage
}

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const vectors = {
  object: "list",
  data: [{ object: "embedding", embedding: [0.0023064255, -0.009327292], index: 0 }],
  model,
  usage: { prompt_tokens: 8, total_tokens: 8 }
}

const imageUsage = { total_tokens: 100, input_tokens: 50, output_tokens: 50 }

const textHead = { ...head, id: "cmpl-123", object: "text_completion" }

const textChunk = (text: string, finish: string | null): JsonObject => ({
  ...textHead,
  choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  usage: null
})

const textCompletion: JsonObject = { ...textChunk(words.join(""), "stop"), usage }

const answers: Readonly<Record<Endpoint, JsonObject>> = {
  chat: completion,
  completions: textCompletion,
  images: { created, data: [{ b64_json: png }], usage: imageUsage },
  embeddings: vectors
}

/** What is requested, and how a caller of this server should interpret the answer. */
const examples: Readonly<Record<Endpoint, { readonly input: Json; readonly output: Json }>> = {
  chat: { input: { messages: [{ role: "user", content: "Say hello." }] }, output: completion },
  completions: { input: { prompt: "Say hello." }, output: textCompletion },
  images: {
    input: { prompt: "A cute baby sea otter", n: 1 },
    output: { created, data: [{ url: `data:image/png;base64,${png}` }], usage: imageUsage }
  },
  embeddings: { input: { input: "The food was delicious" }, output: vectors }
}

const endpoints: ReadonlyMap<string, { readonly endpoint: Endpoint; readonly required: string }> = new Map([
  ["/v1/chat/completions", { endpoint: "chat", required: "messages" }],
  ["/v1/completions", { endpoint: "completions", required: "prompt" }],
  ["/v1/images/generations", { endpoint: "images", required: "prompt" }],
  ["/v1/embeddings", { endpoint: "embeddings", required: "input" }]
])

const problem = (
  response: Http.ServerResponse,
  status: number,
  error: { readonly message: string; readonly type: string; readonly code: string | null },
  headers: Readonly<Record<string, string>> = {}
) => JsonHttp.answer(response, status, { error: { ...error, param: null } }, headers)

const refuse = (response: Http.ServerResponse, status: number) => {
  const type = status >= 500 ? "server_error" : "invalid_request_error"
  problem(response, status, { message: "The request was refused.", type, code: null })
}

const limit = (response: Http.ServerResponse, seconds: number | undefined) => {
  const error = { message: "Rate limit reached for requests", type: "requests", code: "rate_limit_exceeded" }
  const headers = { "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "20ms" }
  problem(
    response,
    429,
    error,
    seconds === undefined ? headers : { ...headers, "retry-after": String(seconds) }
  )
}

/** One `data:` line a chunk, and an empty line after it. */
const send = (response: Http.ServerResponse, data: Json): void =>
  void response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)

interface Taken {
  readonly job: PlannedJobs.TakenJob
  readonly behaviour: Behaviour
  readonly endpoint: Endpoint
  readonly body: JsonObject
}

/** The chunks of an answer, without its head and its usage. */
const chunksOf = (endpoint: Endpoint): ReadonlyArray<JsonObject> =>
  endpoint === "completions"
    ? words.map((word, index) => textChunk(word, index === words.length - 1 ? "stop" : null))
    : [...words.map((content) => chunk([choice({ content }, null)], null)), chunk([choice({}, "stop")], null)]

const stream = (response: Http.ServerResponse, { behaviour, body, endpoint, job }: Taken) => {
  const options = body["stream_options"]
  const withUsage = JsonHttp.isObject(options) && options["include_usage"] === true
  if (behaviour._tag === "Fails") {
    job.state = "failed"
    const { message } = behaviour
    // The model has run: an error before the first token would be a refusal.
    const [first] = chunksOf(endpoint)
    if (first !== undefined) send(response, first)
    send(response, { error: { message, type: "BadRequestError", param: null, code: 400 } })
  } else {
    chunksOf(endpoint).forEach((given) => send(response, given))
    if (withUsage)
      send(response, endpoint === "chat" ? chunk([], usage) : { ...textHead, choices: [], usage })
    job.state = "succeeded"
  }
  send(response, "[DONE]")
  response.end()
}

const whole = (response: Http.ServerResponse, { behaviour, endpoint, job }: Taken) => {
  if (behaviour._tag === "Fails") {
    job.state = "failed"
    return problem(response, 400, { message: behaviour.message, type: "BadRequestError", code: null })
  }
  job.state = "succeeded"
  return JsonHttp.answer(response, 200, answers[endpoint])
}

export const make = Effect.fn("Openai.make")(function* (endpoint: Endpoint = "chat") {
  const jobs = PlannedJobs.make()
  const bodies: Array<JsonObject> = []

  const go = (response: Http.ServerResponse, taken: Taken) => {
    const { behaviour, job } = taken
    if (job.state === "cancelled") return
    if (behaviour._tag === "Forgets") return void response.destroy()
    if (taken.body["stream"] === true) stream(response, taken)
    else whole(response, taken)
  }

  const take = (response: Http.ServerResponse, taken: Taken) => {
    const { behaviour, body, job } = taken
    bodies.push(body)
    // A caller that disconnects gets no more of it.
    response.on("close", () => {
      if (!PlannedJobs.isOver(job)) job.state = "cancelled"
    })
    if (body["stream"] === true) {
      response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
      if (taken.endpoint === "chat")
        send(response, chunk([choice({ role: "assistant", content: "" }, null)], null))
      else response.flushHeaders()
    }
    if (behaviour._tag === "Succeeds" && behaviour.held === true) jobs.onRelease(() => go(response, taken))
    else go(response, taken)
  }

  const handle = ({ body, headers, method, path }: JsonHttp.JsonRequest, response: Http.ServerResponse) => {
    const credential = JsonHttp.credentialOf(headers, "Bearer")
    const key = { message: "Incorrect API key provided.", type: "invalid_request_error" }
    if (credential !== secret) return problem(response, 401, { ...key, code: "invalid_api_key" })
    const asked = endpoints.get(path)
    if (asked === undefined || method !== "POST") return refuse(response, 404)
    const behaviour = jobs.next()
    switch (behaviour._tag) {
      case "Resets":
        return void response.destroy()
      case "Babbles":
        return JsonHttp.babble(response)
      case "Refuses":
        return refuse(response, behaviour.status)
      case "RateLimits":
        return limit(response, behaviour.retryAfterSeconds)
    }
    if (!JsonHttp.isObject(body) || body["model"] !== model || !(asked.required in body))
      return refuse(response, body === null ? 400 : 404)
    const { model: _model, stream: _stream, stream_options: _options, ...input } = body
    const job = jobs.take({ id: null, input, credential, state: "running" })
    return take(response, { job, behaviour, endpoint: asked.endpoint, body })
  }

  const receiver = yield* Receiver.http((request, response) => {
    void JsonHttp.read(request).then((read) => read !== null && handle(read, response))
  })

  const upstream: OpenaiUpstream = {
    ...jobs.upstream,
    binding: {
      adapter: "openai",
      url: `http://127.0.0.1:${receiver.port}/v1`,
      secretEnv: "OPENAI_API_KEY",
      options: { endpoint, model }
    },
    secret,
    example: examples[endpoint],
    has: { jobIds: false, cancel: true, logs: false, retryAfter: true },
    bodies: Effect.sync(() => [...bodies]),
    idle: receiver.closed
  }
  return upstream
})
