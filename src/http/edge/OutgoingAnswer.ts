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
  if (body !== null) {
    fields["content-type"] = "application/json"
    fields["content-length"] = Buffer.byteLength(body)
  }
  fields["x-content-type-options"] = "nosniff"
  fields["x-request-id"] = correlationId
  if (UnreadBody.isPendingOn(request)) {
    fields["connection"] = "close"
    LingeringClose.install(request.socket)
  }
  response.writeHead(status, fields)
  response.end(body ?? undefined)
}
