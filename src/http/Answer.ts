/**
 * What a route says, before any transport: status, headers and a body that is text already. The routes of the declared
 * API and whatever serves a hot route in their place build the same answers.
 */
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

export const toResponse = ({ status, headers, body }: Answer): HttpServerResponse.HttpServerResponse =>
  body === null
    ? HttpServerResponse.empty({ status, headers })
    : HttpServerResponse.text(body, { status, headers, contentType: "application/json" })
