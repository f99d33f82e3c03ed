/**
 * What a route says, before any transport: status, headers and a body that is text already. The routes of the declared
 * API and whatever serves a hot route in their place build the same answers.
 */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export interface Answer {
  readonly status: number
  /** By lower-case name, without content type and length. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text; `null` for an answer without a body. */
  readonly body: string | null
}

/** Answers are about one account's data or about one moment: nothing on the way may keep them. */
const uncached = { "cache-control": "no-store" }

export const json = (
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {}
): Answer => ({ status, headers: { ...uncached, ...headers }, body: JSON.stringify(value) })

export const empty = (status: number, headers: Readonly<Record<string, string>>): Answer => ({
  status,
  headers,
  body: null
})

/** With all headers that an answer gets at the edge, in the order in which they are sent. */
export const toResponse = (
  { status, headers, body }: Answer,
  correlationId: string
): HttpServerResponse.HttpServerResponse => {
  const edge = { "x-content-type-options": "nosniff", "x-request-id": correlationId }
  if (body === null) return HttpServerResponse.empty({ status, headers: { ...headers, ...edge } })
  const content = HttpBody.text(body, "application/json")
  const about = { "content-type": content.contentType, "content-length": String(content.contentLength) }
  return HttpServerResponse.setBody(
    HttpServerResponse.empty({ status, headers: { ...headers, ...about, ...edge } }),
    content
  )
}
