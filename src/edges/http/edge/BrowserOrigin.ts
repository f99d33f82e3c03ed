/**
 * Which pages may use a key or token, by the `Origin` that browsers send (Fetch standard, "HTTP CORS protocol"). The headers
 * are set on Node's response, so that every answer has them, whatever writes it. Pages never send cookies here.
 */
import type { ServerResponse } from "node:http"
import { type Grant, allowsOrigin } from "#domain/account/Grant.ts"
import type { Urls } from "#src/kernel/settings/PublicUrls.ts"
import * as Answer from "../Answer.ts"
import type { RequestHeaders } from "../requests/RequestHeaders.ts"
import { anyOrigin } from "./AnyOrigin.ts"

/** Seconds for which a browser remembers a preflight. Chromium remembers none longer. */
const maxAge = 7_200

/**
 * For every page: the preflight has no key, so the call itself is judged. `*` covers all headers but `Authorization`, which
 * has to be named.
 */
export const preflight = (methods: ReadonlyArray<string>): Answer.Answer =>
  Answer.empty(204, {
    ...anyOrigin,
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": "authorization, *",
    "access-control-max-age": String(maxAge)
  })

export const isPreflight = (method: string, headers: RequestHeaders): boolean =>
  method === "OPTIONS" &&
  headers["origin"] !== undefined &&
  headers["access-control-request-method"] !== undefined

/** How a call reached the server: its headers, and the response to it, which is needed for calls of pages only. */
export interface Arrival {
  readonly headers: RequestHeaders
  readonly response: () => ServerResponse
}

const open = (response: ServerResponse, origin: string): void => {
  response.setHeader("access-control-allow-origin", origin)
  response.setHeader("access-control-expose-headers", "*")
}

export interface BrowserOrigin {
  /** Whether a page of the origin may use the grant. If so, it may read the answer. */
  readonly admits: (grant: Grant, origin: string, arrival: Arrival) => boolean
  /** A refusal of the key or token is the same for everybody, so every page may read it. */
  readonly refused: (arrival: Arrival) => void
}

/** Pages of the server's own addresses may use every key: the reference has a form for calls. */
export const make = ({ baseUrl, queueUrl }: Pick<Urls, "baseUrl" | "queueUrl">): BrowserOrigin => {
  const own = new Set([baseUrl, queueUrl].map((url) => new URL(url).origin))
  const isOwn = (origin: string, { headers: { host } }: Arrival): boolean =>
    own.has(origin) || origin === `https://${host}` || origin === `http://${host}`

  return {
    admits: (grant, origin, arrival) => {
      const response = arrival.response()
      response.setHeader("vary", "Origin")
      if (allowsOrigin(grant, origin)) open(response, origin)
      else return isOwn(origin, arrival)
      return true
    },
    refused: ({ response }) => open(response(), "*")
  }
}
