/** `POST /v1/chat/completions` and `POST /v1/completions`. */
import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, Requires, TakesQuery, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CallBody from "../calls/CallBody.ts"
import * as Calls from "../calls/Calls.ts"
import * as Streaming from "../calls/Streaming.ts"
import * as OpenaiErrors from "../OpenaiErrors.ts"
import * as OpenaiRoute from "../OpenaiRoute.ts"
import * as ServedModels from "../ServedModels.ts"
import * as Chunks from "./Chunks.ts"
import * as Completions from "./Completions.ts"

interface StreamWish {
  readonly stream: boolean
  readonly withUsage: boolean
}

/** `stream` and `stream_options` are this server's; the rest of the body is the input. */
const wishOf = ({ stream, stream_options: options }: JsonObject): StreamWish => ({
  stream: stream === true,
  withUsage: isObject(options) && options["include_usage"] === true
})

const isFlag = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value === "boolean"

const frames = (about: Chunks.About): Streaming.Frames => {
  const chunks = Chunks.make(about)
  return {
    take: (given) => Streaming.dataOf(chunks.take(given)),
    hasContent: chunks.hasContent,
    restart: chunks.restart,
    end: (output) => Streaming.dataOf(chunks.end(output)) + Streaming.done,
    failed: OpenaiErrors.frame
  }
}

const serve = (kind: Completions.Kind, path: string) =>
  Effect.gen(function* () {
    const served = yield* ServedModels.make
    const calls = yield* Calls.make
    const stream = yield* Streaming.make(calls)
    const read = yield* CallBody.make

    return Effect.fnUntraced(function* (
      { headers, request }: Pick<Route.Call<never>, "headers" | "request">,
      caller: Caller
    ) {
      const asked = yield* read(request, caller, ({ body, bytes, content, weight }) =>
        Effect.gen(function* () {
          const { model, stream: wanted } = body
          const input = JsonText.edit(body, { omit: ["model", "stream", "stream_options"] })
          if (!isFlag(wanted)) return yield* OpenaiErrors.invalid("stream must be a boolean.", "stream")
          const found = yield* served(caller, model, kind)
          const { endpoint } = found.model
          return {
            wish: wishOf(body),
            asked: { request, caller, path, endpoint, input, bytes, content, weight }
          }
        })
      )
      return yield* calls.begin(asked.asked, (begun) =>
        Effect.gen(function* () {
          const names = Completions.namesOf(kind, begun.snapshot)
          const { withUsage } = asked.wish
          if (asked.wish.stream) {
            return yield* stream(begun, { headers, request }, frames({ kind, names, withUsage }))
          }
          const output = yield* calls.outputOf(yield* calls.ended(begun))
          return Answer.values(200, Completions.whole(kind, names, output))
        })
      )
    })
  })

const chatEndpoint = HttpApiEndpoint.post("createChatCompletion", "/v1/chat/completions", {
  ...OpenaiRoute.ofCalls,
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Chat")
  .annotate(
    OpenApi.Description,
    "OpenAI's chat completions: `model` is `owner/name`, of a model that serves `chat`. With `stream: true` as server-sent events."
  )

const completionsEndpoint = HttpApiEndpoint.post("createCompletion", "/v1/completions", {
  ...OpenaiRoute.ofCalls,
  error: OpenaiRoute.errors
})
  .annotate(Requires, "requests:write")
  .annotate(TakesTokens, "submit")
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Summary, "Complete a text")
  .annotate(OpenApi.Description, "OpenAI's completions, of a model that serves `completions`.")

export const createChatCompletion = Route.prepared(chatEndpoint, serve("chat", "v1/chat/completions"))
export const createCompletion = Route.prepared(completionsEndpoint, serve("completions", "v1/completions"))
