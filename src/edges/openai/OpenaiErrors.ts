/**
 * Errors in the form of OpenAI's API (https://platform.openai.com/docs/guides/error-codes): `{ error: { message, type,
 * param, code } }`. `docs/apps/from-openai.md` has them in a table.
 */
import { identity } from "effect"
import * as Answer from "#src/edges/http/Answer.ts"
import type { UpstreamError } from "#domain/UpstreamError.ts"
import { ErrorAnswer } from "#src/edges/http/ErrorAnswer.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"

export interface OpenaiError {
  readonly message: string
  /** Ours: `invalid_request_error`, `insufficient_quota`, `requests` or `server_error`. */
  readonly type: string
  readonly param: string | null
  readonly code: string | null
}

/** OpenAI's clients repeat 408, 409, 429 and 5xx by themselves, unless this header says otherwise. */
export const final: Answer.Headers = { "x-should-retry": "false" }

const answer = (status: number, error: OpenaiError, headers: Answer.Headers = Answer.noHeaders) =>
  new ErrorAnswer({ status, error: error.message, headers, body: { error } })

export const invalid = (message: string, param: string | null = null, code: string | null = null) =>
  answer(400, { message, type: "invalid_request_error", param, code })

export const notFound = (message: string, param: string | null = null, code: string | null = null) =>
  answer(404, { message, type: "invalid_request_error", param, code })

export const server = (
  status: number,
  message: string,
  code: string | null = null,
  headers: Answer.Headers = Answer.noHeaders
) => answer(status, { message, type: "server_error", param: null, code }, headers)

/** Statuses that OpenAI's clients repeat. */
const isRepeated = (status: number): boolean => status === 408 || status === 409 || status >= 500

interface Said {
  readonly message: string
  /** For an error without a code. */
  readonly code: string
  readonly upstream: UpstreamError
}

/**
 * The error of a provider, with its status, code and parameter, so that clients can act on `context_length_exceeded`. Whatever
 * may be repeated has been.
 */
export const ofUpstream = (status: number, { code, message, upstream }: Said): ErrorAnswer =>
  answer(
    status,
    {
      message,
      type: upstream.type ?? typeOf(status),
      param: upstream.param ?? null,
      code: upstream.code ?? code
    },
    isRepeated(status) ? final : Answer.noHeaders
  )

/** As OpenAI names a place in a body: `messages[0].content`. */
const paramOf = (path: Issue["path"]): string | null =>
  path.length === 0
    ? null
    : path
        .map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`))
        .join("")

const ofIssues = (issues: ReadonlyArray<Issue>): OpenaiError => {
  const [first] = issues
  if (first === undefined)
    return { message: "The request is not valid.", type: "invalid_request_error", param: null, code: null }
  const param = paramOf(first.path)
  const message = issues
    .slice(0, 5)
    .map((issue) => `${paramOf(issue.path) ?? "The body"} ${issue.message}`)
    .join("; ")
  return { message: `${message}.`, type: "invalid_request_error", param, code: first.code }
}

const typeOf = (status: number): string => {
  if (status === 402) return "insufficient_quota"
  if (status === 429) return "requests"
  return status >= 500 ? "server_error" : "invalid_request_error"
}

const codeOf = (status: number, given: string | undefined): string | null => {
  switch (status) {
    case 401:
      return "invalid_api_key"
    case 402:
      return "insufficient_quota"
    case 429:
      return "rate_limit_exceeded"
    default:
      return given?.toLowerCase() ?? null
  }
}

/** Any error of ours. OpenAI has 429 where ours is 402. Clients must repeat neither this call nor a conflict. */
export const of = (found: ErrorAnswer): ErrorAnswer => {
  const { body, details, error, headers = Answer.noHeaders, status } = found
  if (body !== undefined) return found
  if (typeof error !== "string") return answer(status, ofIssues(error), headers)
  const said: OpenaiError = {
    message: error,
    type: typeOf(status),
    param: null,
    code: codeOf(status, details?.code)
  }
  return status === 402 || status === 409
    ? answer(status === 402 ? 429 : status, said, { ...headers, ...final })
    : answer(status, said, headers)
}

/** For requests without a route: errors below `/v1` have this form. */
export const formOf = (url: string): ((found: ErrorAnswer) => ErrorAnswer) =>
  /^\/v1(?:[/?]|$)/.test(url) ? of : identity

export const modelNotFound = answer(404, {
  message: "The model does not exist, or this key is not granted it.",
  type: "invalid_request_error",
  param: "model",
  code: "model_not_found"
})

/** The frame in which a stream ends with an error. */
export const frame = ({ body }: { readonly body?: unknown }): string => `data: ${JSON.stringify(body)}\n\n`

export const stopping = of(
  new ErrorAnswer({ status: 503, error: "The server is stopping.", headers: { "retry-after": "1" } })
)
