/** Writes an answer to Node's response with the same headers and bytes as the declared API. */
import { Effect, Stream } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Answer } from "../Answer.ts"
import type { StreamedBody } from "#src/platform/views/StreamedBody.ts"
import * as SlowReaders from "./SlowReaders.ts"
import * as PipelinedAnswer from "./PipelinedAnswer.ts"
import * as LingeringClose from "./LingeringClose.ts"
import * as UnreadBody from "./UnreadBody.ts"

/** Writes the head, and a text body with it. For a streamed body returns the effect that sends it; otherwise `null`. */
export const write = (
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: Answer,
  correlationId: string
): Effect.Effect<void> | null => {
  const fields: Record<string, string | number> = { ...headers }
  const length = body === null ? 0 : typeof body === "string" ? Buffer.byteLength(body) : body.length
  if (body !== null) {
    fields["content-type"] = "application/json"
    fields["content-length"] = length
  }
  fields["x-content-type-options"] = "nosniff"
  fields["x-request-id"] = correlationId
  if (UnreadBody.isPendingOn(request)) {
    fields["connection"] = "close"
    LingeringClose.install(request.socket)
  }
  response.writeHead(status, fields)
  if (body === null) response.end()
  // Text with as many bytes as characters is ASCII and needs no encoding.
  else if (typeof body === "string") response.end(body, length === body.length ? "latin1" : "utf8")
  else return send(response, body)
  return null
}

/** Bytes that an answer takes in memory until it is read. Text counts twice: as a string and as bytes. */
export const heldBytes = ({ body }: Answer): number => {
  if (body === null) return 0
  return typeof body === "string" ? 2 * body.length : Math.min(body.length, SlowReaders.window)
}

/** Reads the next chunk when the socket has taken the previous one. A failure destroys the connection. */
const send = (response: ServerResponse, body: StreamedBody): Effect.Effect<void> =>
  body.chunks.pipe(
    Stream.rechunk(1),
    (chunks) => Stream.unwrap(Effect.as(PipelinedAnswer.connected(response), chunks)),
    Stream.runForEach((chunk) => (response.write(chunk) ? Effect.void : drained(response))),
    Effect.andThen(Effect.sync(() => void response.end())),
    Effect.onError(() => Effect.sync(() => void response.destroy()))
  )

const drained = (response: ServerResponse): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const listener = () => resume(Effect.void)
    response.once("drain", listener)
    return Effect.sync(() => void response.off("drain", listener))
  })
