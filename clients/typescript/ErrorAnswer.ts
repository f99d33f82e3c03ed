/** Decodes answers with an error (docs/reference/errors.md). */
import { ApiError, type Failure, type Issue } from "./ApiError.ts"
import * as Errors from "./Errors.ts"
import type { Result } from "./Wire.ts"

/** An answer of which the whole body has arrived. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type ErrorClass = new (failure: Failure, request: Result | null) => ApiError

const classes = Errors as unknown as Readonly<Record<string, ErrorClass | undefined>>

/** The class of that name, if an answer can be one. */
export const classOf = (name: string): ErrorClass => classes[name] ?? ApiError

/** 411 also has one code, and 5xx are all `ServerError`. */
const ofStatus: Readonly<Record<number, ErrorClass>> = {
  400: Errors.BadRequestError,
  401: Errors.UnauthorizedError,
  402: Errors.PaymentRequiredError,
  403: Errors.ForbiddenError,
  404: Errors.NotFoundError,
  408: Errors.RequestTimeoutError,
  409: Errors.ConflictError,
  410: Errors.GoneError,
  411: Errors.LengthRequiredError,
  413: Errors.TooLargeError,
  422: Errors.UnprocessableError,
  429: Errors.TooManyRequestsError
}

/** Bundlers shorten the names of classes. */
const nameOf = (type: ErrorClass): string =>
  Object.keys(classes).find((name) => classes[name] === type) ?? "ApiError"

/** `RATE_LIMITED` becomes `RateLimitedError`. */
export const nameOfCode = (code: string): string =>
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
  const shown = issues.slice(0, 3).map(({ message, path }) => [path?.join("."), message].join(" ").trim())
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
  const base =
    status === 400 && issues.length > 0 && code === undefined
      ? Errors.InvalidInputError
      : (ofStatus[status] ?? (status >= 500 ? Errors.ServerError : ApiError))
  const found = code === undefined ? base : classOf(nameOfCode(code))
  // Not codes that are named like a status.
  const isKnown = found.prototype instanceof base || found.prototype instanceof Errors.RequestOutcomeError
  const type = isKnown ? found : base
  const { error } = body
  const failure: Failure = {
    name: nameOf(type),
    message: typeof error === "string" ? error : messageOf(issues) || `The server answered ${status}`,
    status,
    code,
    issues,
    details,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfter: retryAfterOf(headers, now)
  }
  return new type(failure, "output" in body ? (body as unknown as Result) : null)
}
