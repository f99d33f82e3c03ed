/** `POST /v1/responses`, stateless: over a model that serves `responses`, or translated onto one that serves `chat`. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { OpenaiCall } from "#domain/catalog/Model.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CallBody from "../calls/CallBody.ts"
import * as Calls from "../calls/Calls.ts"
import * as Streaming from "../calls/Streaming.ts"
import * as Chunks from "../completing/Chunks.ts"
import * as Completions from "../completing/Completions.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as ServedModels from "../ServedModels.ts"
import * as ChatInput from "./ChatInput.ts"
import * as FileReferences from "./FileReferences.ts"
import * as HostedTools from "./HostedTools.ts"
import * as ItemReferences from "./ItemReferences.ts"
import * as ResponseEvents from "./ResponseEvents.ts"
import * as ResponseObject from "./ResponseObject.ts"

const endpoint = HttpApiEndpoint.post("createResponse", "/v1/responses", {
  ...OpenaiRoute.ofCalls,
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Create a response")
  .annotate(
    OpenApi.Description,
    "OpenAI's responses without their store, of a model that serves `responses` or `chat`. With `stream: true` as server-sent events."
  )

/** The answer of a model that serves `responses` itself, under our names. */
const ownResponse = ({ id, model }: ResponseObject.About, output: Json): JsonObject =>
  JsonText.edit(isObject(output) ? output : { object: "response", status: "completed", output }, {
    set: { id, model, store: false }
  })

const answerOf = (as: OpenaiCall, snapshot: Snapshot, body: JsonObject, output: Json): JsonObject => {
  const about = ResponseObject.aboutOf(snapshot, body)
  return as === "responses"
    ? ownResponse(about, output)
    : ResponseObject.ofCompletion(
        about,
        Completions.whole("chat", Completions.namesOf("chat", snapshot), output)
      )
}

const errorOf = (body: unknown): JsonObject => {
  const { error } = body as { readonly error: { readonly message: string; readonly code: string | null } }
  return { code: error.code ?? "server_error", message: error.message }
}

/** Of a chat, as it is made. */
const chatFrames = (snapshot: Snapshot, body: JsonObject): Streaming.Frames => {
  const events = ResponseEvents.make(ResponseObject.aboutOf(snapshot, body))
  const names = Completions.namesOf("chat", snapshot)
  const chunks = Chunks.make({ kind: "chat", names, withUsage: true })
  const taken = (given: ReadonlyArray<JsonObject>) => given.map(events.take).join("")
  return {
    take: (given) => events.begin() + taken(chunks.take(given)),
    hasContent: events.hasContent,
    restart: chunks.restart,
    end: (output) =>
      taken(chunks.end(output)) + events.end(isObject(output) ? (output["usage"] ?? null) : null),
    failed: ({ body: error }) => events.failed(errorOf(error))
  }
}

/** With which a stream ends. */
const ended = ["completed", "incomplete", "failed"]

/** Of a model that serves `responses`: its whole answer at the end. */
const wholeFrames = (snapshot: Snapshot, body: JsonObject): Streaming.Frames => {
  const about = ResponseObject.aboutOf(snapshot, body)
  const events = ResponseEvents.make(about)
  return {
    take: () => events.begin(),
    hasContent: () => false,
    restart: () => {},
    end: (output) => {
      const response = ownResponse(about, output)
      const type = `response.${ended.find((one) => one === response["status"]) ?? "completed"}`
      const last = { type, sequence_number: 2, response }
      return `${events.begin()}event: ${type}\ndata: ${JsonText.writeLine(last)}\n\n`
    },
    failed: ({ body: error }) => events.failed(errorOf(error))
  }
}

const serve = Effect.gen(function* () {
  const served = yield* ServedModels.make
  const calls = yield* Calls.make
  const stream = yield* Streaming.make(calls)
  const read = yield* CallBody.make
  const referred = yield* ItemReferences.make
  const filesOf = yield* FileReferences.make

  /** The input of a model that serves a chat, without what only OpenAI runs. */
  const translated = Effect.fnUntraced(function* (caller: Caller, body: JsonObject) {
    const { input } = body
    const named = { items: yield* referred(caller, input), files: yield* filesOf(caller, input) }
    return yield* Effect.fromResult(ChatInput.of(body, named))
  })

  return Effect.fnUntraced(function* ({ headers, request }: Route.Call<typeof endpoint>, caller: Caller) {
    const { as, asked, body, leftOut } = yield* read(request, caller, ({ body, bytes, content, weight }) =>
      Effect.gen(function* () {
        const refusal = ChatInput.refusalOf(body)
        if (refusal !== null) return yield* refusal
        const { as, model } = yield* served(caller, body["model"], "responses", "chat")
        const own = JsonText.edit(body, { omit: ["model", "store", "stream", "stream_options"] })
        const { input, leftOut } =
          as === "responses" ? { input: own, leftOut: [] } : yield* translated(caller, body)
        const { endpoint } = model
        const asked = { request, caller, path: "v1/responses", endpoint, input, bytes, content, weight }
        return { as, asked, body, leftOut }
      })
    )
    return yield* calls.begin(asked, (begun) =>
      Effect.gen(function* () {
        const { snapshot } = begun
        const told = HostedTools.headersOf(leftOut)
        if (body["stream"] === true) {
          const frames = as === "chat" ? chatFrames(snapshot, body) : wholeFrames(snapshot, body)
          return yield* stream(begun, { headers: { ...headers, ...told }, request }, frames)
        }
        const output = yield* calls.outputOf(yield* calls.ended(begun))
        return Answer.values(200, answerOf(as, snapshot, body, output), told)
      })
    )
  })
})

export const createResponse = Route.prepared(endpoint, serve)
