/** Answers in OAuth's format: the provider's, and errors in the same form (RFC 6749, 5.2). */
import * as Cookies from "effect/http/Cookies"
import * as HttpBody from "effect/http/HttpBody"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { storageAway } from "../AuthorizationServer.ts"
import type { Reply } from "../ProviderCall.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

export interface OAuthError {
  readonly error: string
  readonly description: string
}

export const refused = (
  status: number,
  { description, error }: OAuthError,
  headers: Answer.Headers = Answer.noHeaders
): Answer.Answer => Answer.json(status, { error, error_description: description }, headers)

/** The error for a body that could not be read. */
export const unread = ({ error, headers, status }: ErrorAnswer.ErrorAnswer): Answer.Answer =>
  refused(
    status,
    {
      error: "invalid_request",
      description: typeof error === "string" ? error : "The request body is invalid."
    },
    headers
  )

/** The error while storage is unavailable. */
export const unavailable = refused(503, storageAway, {
  "retry-after": String(storageAway.retryAfterSeconds)
})

/** Headers of the provider that are passed on. The server's edge sets the others: lengths, origins, caches. */
const passedOn = new Set([
  "location",
  "retry-after",
  "www-authenticate",
  "content-security-policy",
  "x-frame-options",
  "referrer-policy"
])

/** The provider's session cookie has no use, because no sign-in outlasts its authorization. */
const isSession = (cookie: string): boolean => /^_session(\.legacy)?(\.sig)?=/.test(cookie)

export const toResponse = ({
  body,
  cookies,
  headers,
  status
}: Reply): HttpServerResponse.HttpServerResponse => {
  const own = Object.entries(headers).filter(([name]) => passedOn.has(name))
  const response = HttpServerResponse.empty({
    status,
    headers: { "cache-control": "no-store", ...Object.fromEntries(own) },
    cookies: Cookies.fromSetCookie(cookies.filter((cookie) => !isSession(cookie)))
  })
  const isRedirect = status >= 300 && status < 400
  if (isRedirect || body === "") return response
  return HttpServerResponse.setBody(
    response,
    HttpBody.text(body, headers["content-type"] ?? "application/json")
  )
}
