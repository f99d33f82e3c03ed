/** Writes an answer to Node's response as the declared way would: the same headers, byte for byte the same body. */
import { Effect, Stream } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Answer } from "../Answer.ts"
import type { StreamedBody } from "#src/platform/views/StreamedBody.ts"
import * as SlowReaders from "./SlowReaders.ts"
import * as Turn from "./Turn.ts"
import * as LingeringClose from "./LingeringClose.ts"
import * as UnreadBody from "./UnreadBody.ts"

/**
 * Writes the head, and a body that is text with it. Gives what sends another body, to be run by the caller, and `null` where
 * nothing is left to do.
 */
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
  // Nothing has to be encoded in text that has as many bytes as characters.
  else if (typeof body === "string") response.end(body, length === body.length ? "latin1" : "utf8")
  else return send(response, body)
  return null
}

/** Bytes that an answer has in memory until it is read: text twice, as it is and as it is written. */
export const heldBytes = ({ body }: Answer): number => {
  if (body === null) return 0
  return typeof body === "string" ? 2 * body.length : Math.min(body.length, SlowReaders.window)
}

/** Reads on when the socket has taken all before. What does not come to its end breaks the connection off. */
const send = (response: ServerResponse, body: StreamedBody): Effect.Effect<void> =>
  body.chunks.pipe(
    Stream.rechunk(1),
    (chunks) => Stream.unwrap(Effect.as(Turn.of(response), chunks)),
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
