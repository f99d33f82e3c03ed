/** A call that was not answered 2xx, or not answered. */

export interface Problem {
  readonly message: string
  /** HTTP status; 0 without an answer. */
  readonly status: number
  /** `details.code` of the envelope. */
  readonly code: string | null
  readonly details: unknown
  /** The id of the exchange, for a search in the log. */
  readonly requestId: string | null
  /** Seconds after which a repetition may succeed. */
  readonly retryAfter: number | null
}

export class ApiError extends Error {
  readonly status: number
  readonly code: string | null
  readonly details: unknown
  readonly requestId: string | null
  readonly retryAfter: number | null

  constructor({ code, details, message, requestId, retryAfter, status }: Problem) {
    super(message)
    this.status = status
    this.code = code
    this.details = details
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

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** The problem that an answer of the server has in its envelope `{ error, request_id, details? }`. */
export const ofResponse = async (response: Response): Promise<ApiError> => {
  const body: unknown = await response.json().catch(() => null)
  const { details = null, error = null, request_id: id = null } = isObject(body) ? body : {}
  const seconds = Number(response.headers.get("retry-after"))
  return new ApiError({
    message: textOf(error) ?? `The server answered ${response.status}.`,
    status: response.status,
    code: isObject(details) ? textOf(details["code"]) : null,
    details,
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
    requestId: null,
    retryAfter: null
  })
