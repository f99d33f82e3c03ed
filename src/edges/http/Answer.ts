/** An answer independent of the transport: status, headers and a body. The API and `FastPath` build the same ones. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import * as JsonPieces from "#src/platform/views/JsonPieces.ts"
import type { StreamedBody } from "#src/platform/views/StreamedBody.ts"

/** By lower-case name. */
export type Headers = Readonly<Record<string, string>>

export const noHeaders: Headers = {}

export interface Answer {
  readonly status: number
  /** Without content type and length. */
  readonly headers: Headers
  /** JSON; `null` for an answer without a body. */
  readonly body: string | StreamedBody | null
}

export interface TextAnswer extends Answer {
  readonly body: string | null
}

const jsonType = "application/json"

/** Answers concern one account or one moment, so no cache may store them. */
const uncached = { "cache-control": "no-store" }

export const json = (status: number, value: unknown, headers: Headers = noHeaders): TextAnswer => ({
  status,
  headers: { ...uncached, ...headers },
  body: JSON.stringify(value)
})

/** A value with parts of clients or providers, which keep the texts that they came from (`JsonText`). */
export const values = (status: number, value: Json, headers: Headers = noHeaders): TextAnswer => ({
  status,
  headers: { ...uncached, ...headers },
  body: JsonText.write(value)
})

/** A record some of whose members are texts of payloads. */
export const record = (status: number, record: object, headers: Headers = noHeaders): Answer => ({
  status,
  headers: { ...uncached, ...headers },
  body: JsonPieces.ofRecord(record)
})

/** A page with a list of such records, which is one of its members. */
export const pageOf = (status: number, page: object, list: ReadonlyArray<object>): Answer => ({
  status,
  headers: uncached,
  body: JsonPieces.ofList(page, list)
})

/** A list (`ListView`) of such records. */
export const list = (status: number, page: { readonly data: ReadonlyArray<object> }): Answer =>
  pageOf(status, page, page.data)

export const empty = (status: number, headers: Headers): TextAnswer => ({
  status,
  headers,
  body: null
})

/** Adds headers. A header that the answer already has gets both values, because these headers are lists. */
export const carrying = (answer: Answer, headers: Headers): Answer => {
  const merged: Record<string, string> = { ...answer.headers }
  for (const [name, value] of Object.entries(headers)) {
    const own = merged[name]
    merged[name] = own === undefined ? value : `${value}, ${own}`
  }
  return { ...answer, headers: merged }
}

/** With all headers that the edge adds, in the order in which they are sent. */
export const toResponse = (
  { status, headers, body }: Answer,
  correlationId: string
): HttpServerResponse.HttpServerResponse => {
  const edge = { "x-content-type-options": "nosniff", "x-request-id": correlationId }
  if (body === null) return HttpServerResponse.empty({ status, headers: { ...headers, ...edge } })
  const content =
    typeof body === "string"
      ? HttpBody.text(body, jsonType)
      : HttpBody.stream(body.chunks, jsonType, body.length)
  const about = { "content-type": content.contentType, "content-length": String(content.contentLength) }
  return HttpServerResponse.setBody(
    HttpServerResponse.empty({ status, headers: { ...headers, ...about, ...edge } }),
    content
  )
}
