/** Writes an answer to Node's response as the declared way would: the same headers, byte for byte the same body. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Answer } from "../Answer.ts"
import * as LingeringClose from "./LingeringClose.ts"
import * as UnreadBody from "./UnreadBody.ts"

export const write = (
  request: IncomingMessage,
  response: ServerResponse,
  { body, headers, status }: Answer,
  correlationId: string
): void => {
  const fields: Record<string, string | number> = { ...headers }
  const length = body === null ? 0 : Buffer.byteLength(body)
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
  else response.end(body, length === body.length ? "latin1" : "utf8")
}
