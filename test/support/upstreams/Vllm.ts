/**
 * A server as vLLM describes itself (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html), with OpenAI's forms
 * (https://platform.openai.com/docs/api-reference). What it says depends on what it is asked, so that any client can be tested.
 */
import type * as Http from "node:http"
import { Effect, type Scope } from "effect"
import { isList, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as Receiver from "#test/support/src/kernel/outbound/Receiver.ts"
import * as JsonHttp from "./JsonHttp.ts"

export const model = "meta-llama/Llama-3.1-8B-Instruct"
export const answer = "This is a test."
export const thoughts = "The user wants a test."
export const words = [{ word: "This", start: 0, end: 0.25 }]
export const segments = [{ id: 0, start: 0, end: 1.5, text: answer }]
export const png =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
export const audio = Buffer.from("ID3\u0004\u0000 speech")
export const vector = [0.25, -0.5, 1]

const created = 1_694_268_190

/** A chat whose tokens a test types. */
interface Typed {
  readonly type: (token: string) => void
  /** Sends something else than a token. */
  readonly send: (data: Json) => void
  /** Ends it well. */
  readonly finish: () => void
  /** Ends it well, without its usage. */
  readonly finishUncounted: () => void
  /** Breaks the connection. */
  readonly cut: () => void
  /** Resolves when the caller has closed the connection. */
  readonly left: Promise<void>
}

export interface Vllm {
  readonly url: string
  /** Bodies of calls, newest last. */
  readonly bodies: ReadonlyArray<JsonObject>
  /** Bodies of uploads, as sent. */
  readonly forms: ReadonlyArray<{ readonly type: string; readonly body: Buffer }>
  /** The next chat whose last message is `type`. */
  readonly typed: () => Promise<Typed>
}

const tokensOf = (text: string): ReadonlyArray<string> => text.match(/\s*\S+/g) ?? []

const lastText = (messages: Json | undefined): string => {
  const last = isList(messages) ? messages.at(-1) : undefined
  const content = JsonHttp.isObject(last) ? last["content"] : undefined
  if (typeof content === "string") return content
  if (!isList(content)) return ""
  return content
    .map((part) => (JsonHttp.isObject(part) ? String(part["text"] ?? part["type"]) : ""))
    .join(" ")
}

const hasImage = (messages: Json | undefined): boolean => JSON.stringify(messages ?? []).includes("image_url")

/** What the model says: text, or calls of the first tool. */
const reply = (body: JsonObject): { readonly text: string | null; readonly call: JsonObject | null } => {
  const { messages, response_format: format, tools } = body
  const last = isList(messages) ? messages.at(-1) : undefined
  const isAnswered = JsonHttp.isObject(last) && last["role"] === "tool"
  const [tool] = isList(tools) ? tools : []
  if (JsonHttp.isObject(tool) && JsonHttp.isObject(tool["function"]) && !isAnswered) {
    const call = { name: tool["function"]["name"] ?? "", arguments: '{"location":"Paris"}' }
    return { text: null, call }
  }
  if (isAnswered) return { text: "It is 20 degrees in Paris.", call: null }
  if (JsonHttp.isObject(format) && format["type"] !== "text")
    return { text: '{"name":"science fair","date":"Friday","participants":["Alice","Bob"]}', call: null }
  if (hasImage(messages)) return { text: "A picture of one pixel.", call: null }
  return { text: answer, call: null }
}

const usageOf = (tokens: number) => ({
  prompt_tokens: 9,
  completion_tokens: tokens,
  total_tokens: 9 + tokens
})

const head = { id: "chatcmpl-upstream", created, model }

const chunk = (delta: JsonObject, finish: string | null = null, logprobs: Json = null): JsonObject => ({
  ...head,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, logprobs, finish_reason: finish }]
})

/** Of the tokens, if the call asks for them. */
const logprobsOf = ({ logprobs }: JsonObject, tokens: ReadonlyArray<string>): Json =>
  logprobs === true
    ? { content: tokens.map((token) => ({ token, logprob: -0.25, bytes: null, top_logprobs: [] })) }
    : null

const callOf = (call: JsonObject, more: JsonObject = {}): JsonObject => ({
  id: "call_abc123",
  type: "function",
  function: call,
  ...more
})

const send = (response: Http.ServerResponse, data: Json) =>
  void response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`)

const wantsUsage = ({ stream_options: options }: JsonObject): boolean =>
  JsonHttp.isObject(options) && options["include_usage"] === true

const endStream = (response: Http.ServerResponse, body: JsonObject, tokens: number) => {
  if (wantsUsage(body))
    send(response, { ...head, object: "chat.completion.chunk", choices: [], usage: usageOf(tokens) })
  send(response, "[DONE]")
  response.end()
}

const problem = (response: Http.ServerResponse, status: number, message: string) =>
  JsonHttp.answer(response, status, {
    error: { message, type: "BadRequestError", param: null, code: status }
  })

const chat = (response: Http.ServerResponse, body: JsonObject) => {
  if (typeof body["top_logprobs"] === "number" && body["logprobs"] !== true)
    return problem(response, 400, "when using `top_logprobs`, `logprobs` must be set to true.")
  const { call, text } = reply(body)
  const tokens = tokensOf(text ?? "")
  const isThinking = lastText(body["messages"]) === "think"
  if (body["stream"] !== true) {
    const message = {
      role: "assistant",
      content: text,
      ...(isThinking && { reasoning_content: thoughts }),
      ...(call !== null && { tool_calls: [callOf(call)] })
    }
    return JsonHttp.answer(response, 200, {
      ...head,
      object: "chat.completion",
      choices: [
        {
          index: 0,
          message,
          logprobs: logprobsOf(body, tokens),
          finish_reason: call === null ? "stop" : "tool_calls"
        }
      ],
      usage: usageOf(tokens.length)
    })
  }
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
  send(response, chunk({ role: "assistant", content: call === null ? "" : null }))
  if (isThinking) tokensOf(thoughts).forEach((part) => send(response, chunk({ reasoning_content: part })))
  tokens.forEach((content) => send(response, chunk({ content }, null, logprobsOf(body, [content]))))
  if (call !== null) {
    const { arguments: args, ...named } = call
    send(response, chunk({ tool_calls: [callOf({ ...named, arguments: "" }, { index: 0 })] }))
    send(response, chunk({ tool_calls: [{ index: 0, function: { arguments: args ?? "" } }] }))
  }
  send(response, chunk({}, call === null ? "stop" : "tool_calls"))
  return endStream(response, body, tokens.length)
}

const complete = (response: Http.ServerResponse, body: JsonObject) => {
  const tokens = tokensOf(answer)
  const textHead = { ...head, id: "cmpl-upstream", object: "text_completion" }
  const choice = (text: string, finish: string | null) => ({
    index: 0,
    text,
    logprobs: null,
    finish_reason: finish
  })
  if (body["stream"] !== true)
    return JsonHttp.answer(response, 200, {
      ...textHead,
      choices: [choice(answer, "stop")],
      usage: usageOf(tokens.length)
    })
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
  tokens.forEach((text, index) =>
    send(response, { ...textHead, choices: [choice(text, index === tokens.length - 1 ? "stop" : null)] })
  )
  if (wantsUsage(body)) send(response, { ...textHead, choices: [], usage: usageOf(tokens.length) })
  send(response, "[DONE]")
  return void response.end()
}

const embed = (response: Http.ServerResponse, { encoding_format: format, input }: JsonObject) => {
  const texts = isList(input) ? input : [input ?? ""]
  const embedding =
    format === "base64" ? Buffer.from(Float32Array.from(vector).buffer).toString("base64") : vector
  return JsonHttp.answer(response, 200, {
    object: "list",
    data: texts.map((_text, index) => ({ object: "embedding", index, embedding })),
    model,
    usage: { prompt_tokens: 8, total_tokens: 8 }
  })
}

const draw = (response: Http.ServerResponse) =>
  JsonHttp.answer(response, 200, {
    created,
    data: [{ b64_json: png }],
    usage: { total_tokens: 100, input_tokens: 50, output_tokens: 50 }
  })

const bytesOf = async (request: Http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const part of request) chunks.push(Buffer.from(part))
  return Buffer.concat(chunks)
}

export const make: Effect.Effect<Vllm, never, Scope.Scope> = Effect.gen(function* () {
  const bodies: Array<JsonObject> = []
  const forms: Array<{ readonly type: string; readonly body: Buffer }> = []
  const waiting: Array<(typed: Typed) => void> = []
  const ready: Array<Typed> = []

  const type = (response: Http.ServerResponse, body: JsonObject) => {
    let tokens = 0
    response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" })
    response.flushHeaders()
    const typed: Typed = {
      type: (content) => {
        tokens += 1
        send(response, chunk({ content }))
      },
      send: (data) => send(response, data),
      finish: () => {
        send(response, chunk({}, "stop"))
        endStream(response, body, tokens)
      },
      finishUncounted: () => {
        send(response, chunk({}, "stop"))
        endStream(response, {}, tokens)
      },
      cut: () => response.destroy(),
      left: new Promise((resolve) => void response.once("close", resolve))
    }
    const waiter = waiting.shift()
    if (waiter === undefined) ready.push(typed)
    else waiter(typed)
  }

  const handle = (path: string, body: JsonObject, response: Http.ServerResponse) => {
    bodies.push(body)
    switch (path) {
      case "/v1/chat/completions": {
        const said = lastText(body["messages"])
        if (said === "type") return type(response, body)
        if (said === "too long")
          return problem(response, 400, "This model's maximum context length is 4096 tokens.")
        if (said === "break")
          return void response
            .writeHead(200, { "content-type": "text/event-stream" })
            .end(
              `data: ${JSON.stringify({ error: { message: "out of cards", type: "BadRequestError", code: 400 } })}\n\n`
            )
        return chat(response, body)
      }
      case "/v1/completions":
        return complete(response, body)
      case "/v1/embeddings":
        return embed(response, body)
      case "/v1/images/generations":
        return draw(response)
      case "/v1/audio/speech":
        return void response.writeHead(200, { "content-type": "audio/mpeg" }).end(audio)
      default:
        return problem(response, 404, "Not Found")
    }
  }

  const receiver = yield* Receiver.http((request, response) => {
    void bytesOf(request).then((bytes) => {
      const contentType = request.headers["content-type"] ?? ""
      if (contentType.startsWith("multipart/form-data")) {
        forms.push({ type: contentType, body: bytes })
        const times = bytes.includes("verbose_json") ? { words, segments } : {}
        return JsonHttp.answer(response, 200, {
          text: answer,
          ...times,
          usage: { type: "duration", seconds: 3 }
        })
      }
      const body = JSON.parse(bytes.toString()) as Json
      return JsonHttp.isObject(body) ? handle(request.url ?? "", body, response) : undefined
    })
  })

  return {
    url: `http://127.0.0.1:${receiver.port}/v1`,
    bodies,
    forms,
    typed: () => {
      const typed = ready.shift()
      return typed === undefined
        ? new Promise((resolve) => void waiting.push(resolve))
        : Promise.resolve(typed)
    }
  }
})
