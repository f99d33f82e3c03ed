/** Decodes answers with an error (docs/reference/errors.md). */
import { ApiError, type Failure, type Issue } from "./ApiError.ts"
import * as Errors from "./Errors.ts"
import * as OutcomeErrors from "./OutcomeErrors.ts"
import type { Result } from "./Wire.ts"

/** An answer of which the whole body has arrived. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type ErrorClass = new (failure: Failure) => ApiError
type OutcomeClass = new (failure: Failure, request: Result | null) => ApiError

const byName = Errors as unknown as Readonly<Record<string, ErrorClass | undefined>>
const outcomeByName = OutcomeErrors as unknown as Readonly<Record<string, OutcomeClass | undefined>>

const names: Readonly<Record<number, string>> = {
  400: "BadRequestError",
  401: "UnauthorizedError",
  402: "PaymentRequiredError",
  403: "ForbiddenError",
  404: "NotFoundError",
  405: "MethodNotAllowedError",
  408: "RequestTimeoutError",
  409: "ConflictError",
  410: "GoneError",
  411: "LengthRequiredError",
  412: "PreconditionFailedError",
  413: "TooLargeError",
  415: "UnsupportedMediaTypeError",
  416: "RangeNotSatisfiableError",
  417: "ExpectationFailedError",
  422: "UnprocessableError",
  429: "TooManyRequestsError",
  431: "HeadersTooLargeError"
}

/** `RATE_LIMITED` becomes `RateLimitedError`. */
const nameOfCode = (code: string): string =>
  code.replace(/([A-Z])([A-Z]*)_?/g, (_, first: string, rest: string) => first + rest.toLowerCase()) + "Error"

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The object that a text of JSON is, or an empty one. */
export const objectOf = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

const messageOf = (issues: ReadonlyArray<Issue>): string => {
  const shown = issues.slice(0, 3).map(({ message, path }) => [path.join("."), message].join(" ").trim())
  const rest = issues.length - shown.length
  return shown.join("; ") + (rest > 0 ? ` and ${rest} more` : "")
}

/** `Retry-After` in ms, from now on; `null` without a usable one. */
const retryAfterOf = (headers: Headers, now: number): number | null => {
  const text = headers.get("retry-after")?.trim()
  if (!text) return null
  // Some engines read a year in any number.
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : text.endsWith("GMT") ? Date.parse(text) - now : NaN
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}

/** The error that an answer is. `now` is the time in ms since 1970, for dates in `Retry-After`. */
export const errorOf = ({ headers, status, text }: Answer, now: number): ApiError => {
  const body = objectOf(text)
  const details = isRecord(body["details"]) ? body["details"] : {}
  const code = typeof details["code"] === "string" ? details["code"] : undefined
  const issues = Array.isArray(body["error"]) ? (body["error"] as ReadonlyArray<Issue>) : []
  const isInvalid = status === 400 && issues.length > 0 && code === undefined
  const ofStatus = isInvalid
    ? "InvalidInputError"
    : (names[status] ?? (status >= 500 ? "ServerError" : "ApiError"))
  const ofCode = code === undefined ? "" : nameOfCode(code)
  const outcome = outcomeByName[ofCode]
  const base = byName[ofStatus] ?? ApiError
  const found = byName[ofCode]
  // Codes of later releases, and codes that are named like a status.
  const isKnown = found === base || found?.prototype instanceof base
  const name = outcome !== undefined || isKnown ? ofCode : ofStatus
  const failure: Failure = {
    name,
    message:
      typeof body["error"] === "string"
        ? body["error"]
        : messageOf(issues) || `The server answered ${status}`,
    status,
    code,
    issues,
    details,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: retryAfterOf(headers, now)
  }
  if (outcome !== undefined) return new outcome(failure, "output" in body ? (body as never) : null)
  return new (isKnown && found !== undefined ? found : base)(failure)
}
