/** A call that was not answered 2xx, or not answered. */

/** What is wrong with one field, by its path from the root of the body. */
export interface Issue {
  readonly path: ReadonlyArray<string | number>
  readonly message: string
}

export interface Problem {
  readonly message: string
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** `details.code` of the envelope. */
  readonly code: string | null
  readonly details: unknown
  /** What is wrong with fields of the call (400): the envelope's `error` where it is a list. */
  readonly issues: ReadonlyArray<Issue>
  /** The id of the exchange, for a search in the log. */
  readonly requestId: string | null
  /** Seconds after which a repetition may succeed. */
  readonly retryAfter: number | null
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  readonly details: unknown
  readonly issues: ReadonlyArray<Issue>
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor({ code, details, issues, message, requestId, retryAfter, status }: Problem) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
    this.issues = issues
    this.requestId = requestId
    this.retryAfter = retryAfter
  }

  /** The browser is offline, or the server is away. */
  get isUnreachable(): boolean {
    return this.status === 0
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && Array.isArray(value["path"]) && typeof value["message"] === "string"

const issuesText = (issues: ReadonlyArray<Issue>): string | null =>
  issues.length === 0
    ? null
    : issues.map(({ message, path }) => `${path.join(".")} ${message}`.trim()).join("; ")

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The problem that an answer of the server has in its envelope `{ error, request_id, details? }`. */
export const ofResponse = async (response: Response): Promise<ApiError> => {
  const body: unknown = await response.json().catch(() => null)
  const { details = null, error = null, request_id: id = null } = isObject(body) ? body : {}
  const seconds = Number(response.headers.get("retry-after"))
  const issues = Array.isArray(error) ? error.filter(isIssue) : []
  return new ApiError({
    message: textOf(error) ?? issuesText(issues) ?? `The server answered ${response.status}.`,
    status: response.status,
    code: isObject(details) ? textOf(details["code"]) : null,
    details,
    issues,
    requestId: textOf(id) ?? response.headers.get("x-request-id"),
    retryAfter: seconds > 0 ? seconds : null
  })
}

export const unreachable = (): ApiError =>
  new ApiError({
    message: navigator.onLine
      ? "The server cannot be reached. Check that it runs."
      : "You are offline. This goes on when the connection is back.",
    status: 0,
    code: null,
    details: null,
    issues: [],
    requestId: null,
    retryAfter: null
  })
