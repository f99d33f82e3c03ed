/** The protocol's answers as they go out: whole, or as events of a stream (MCP 2025-11-25, "Sending Messages to the Server"). */
import { Effect, Stream } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as JsonRpc from "#src/mcp/JsonRpc.ts"
import type { EventStream } from "../../edge/EventStream.ts"

const eventStream = "text/event-stream"

const textOf = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body).trimEnd() : ""

const isOfEvents = ({ headers }: HttpServerResponse.HttpServerResponse): boolean =>
  headers["content-type"]?.startsWith(eventStream) === true

/** What the protocol refuses without a word, in words. */
const unsaid = (status: number): JsonRpc.ErrorText => {
  if (status === 404) return JsonRpc.sessionGone
  return status < 500
    ? JsonRpc.invalidRequest("The message cannot be taken as it is.")
    : JsonRpc.internalError
}

/** An answer that has come whole. */
export const whole = (
  response: HttpServerResponse.HttpServerResponse,
  id: JsonRpc.Id
): HttpServerResponse.HttpServerResponse => {
  const { status } = response
  const text = textOf(response)
  const options = { status, headers: { "cache-control": "no-store" } }
  if (isOfEvents(response)) {
    return HttpServerResponse.text(`${text}\n\n`, { ...options, contentType: eventStream })
  }
  if (text === "" && status < 400) return HttpServerResponse.empty(options)
  const body = text === "" ? JSON.stringify(JsonRpc.error(id, unsaid(status))) : text
  return HttpServerResponse.text(body, { ...options, contentType: "application/json" })
}

export const event = (message: string): string => `data: ${message}\n\n`

/** As events, as fast as they are read. What ends without an answer ends with `failure`, of which the usual reason is given. */
export const write = (
  stream: EventStream,
  response: HttpServerResponse.HttpServerResponse,
  failure: (usual: JsonRpc.ErrorText) => string
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
  const text = textOf(response)
  if (isOfEvents(response)) return Effect.sync(() => void stream.write(`${text}\n\n`))
  return Effect.sync(() => void stream.write(event(text === "" ? failure(unsaid(status)) : text)))
}
