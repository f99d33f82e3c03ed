/** Sends the protocol's answers whole or as a stream of events (MCP 2025-11-25, "Sending Messages to the Server"). */
import { Effect, Stream } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as JsonRpc from "../JsonRpc.ts"
import type { EventStream } from "#src/edges/http/edge/EventStream.ts"

const eventStream = "text/event-stream"

const nothing = new Uint8Array()
const lineEnd = 0x0a

const bytesOf = ({ body }: HttpServerResponse.HttpServerResponse): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : nothing

/** The message without the line end that Effect appends. */
const trimmed = (bytes: Uint8Array): Uint8Array => (bytes.at(-1) === lineEnd ? bytes.subarray(0, -1) : bytes)

const isOfEvents = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith(eventStream) === true

const noBatch = JsonRpc.invalidRequest(
  "The version of the protocol that the session has agreed on has no batches, or one of the batch names another version in `_meta`: send one message at a time."
)

/** The error for a status that the protocol sends without a reason. */
const unsaid = (status: number): JsonRpc.ErrorObject => {
  if (status === 404) return JsonRpc.sessionGone
  // Other faults of the message have been checked before.
  return status < 500 ? noBatch : JsonRpc.internalError
}

/** A complete answer. */
export const whole = (
  response: HttpServerResponse.HttpServerResponse,
  id: JsonRpc.Id
): HttpServerResponse.HttpServerResponse => {
  const { status } = response
  const bytes = bytesOf(response)
  const options = { status, headers: { "cache-control": "no-store" } }
  if (isOfEvents(response)) {
    return HttpServerResponse.uint8Array(bytes, { ...options, contentType: eventStream })
  }
  const json = { ...options, contentType: "application/json" }
  if (bytes.length > 0) return HttpServerResponse.uint8Array(trimmed(bytes), json)
  return status < 400
    ? HttpServerResponse.empty(options)
    : HttpServerResponse.text(JSON.stringify(JsonRpc.error(id, unsaid(status))), json)
}

export const event = (message: string): string => `data: ${message}\n\n`

/** Events, at the client's pace. A stream without an answer ends with `failure`; the default reason is usual. */
export const write = (
  stream: EventStream,
  response: HttpServerResponse.HttpServerResponse,
  failure: (usual: JsonRpc.ErrorObject) => string
): Effect.Effect<void> => {
  const { body, status } = response
  if (body._tag === "Stream") {
    return body.stream.pipe(
      Stream.runForEach((chunk) => {
        stream.write(chunk)
        return stream.ready
      }),
      Effect.interruptible,
      Effect.onError(() => Effect.sync(() => void stream.write(event(failure(JsonRpc.internalError))))),
      Effect.orDie
    )
  }
  return Effect.sync(() => {
    const bytes = bytesOf(response)
    if (isOfEvents(response)) return void stream.write(bytes)
    const message = bytes.length === 0 ? failure(unsaid(status)) : new TextDecoder().decode(trimmed(bytes))
    stream.write(event(message))
  })
}
