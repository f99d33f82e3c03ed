import { InferlogError } from "./InferlogError.ts"

/** A part of an input, header or query that the server refuses. */
export interface Issue {
  /** From the root of the body, or the name of a header or query parameter. */
  readonly path: ReadonlyArray<string | number>
  readonly message: string
  readonly code: string
}

/** What an answer with an error says. */
export interface Failure {
  readonly name: string
  readonly message: string
  readonly status: number
  readonly code: string | undefined
  readonly issues: ReadonlyArray<Issue>
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfter: number | null
}

/** The server refused a call, or could not answer it. */
export class ApiError extends InferlogError {
  override readonly name: string
  /** The status of HTTP. */
  readonly status: number
  /** `details.code` of the answer, such as `RATE_LIMITED`. */
  readonly code: string | undefined
  readonly issues: ReadonlyArray<Issue>
  readonly details: Readonly<Record<string, unknown>>
  /** The id of the exchange, which the server's log has too. It is not the id of a request. */
  readonly requestId: string | undefined
  /** How long the server asks to wait, in ms. */
  readonly retryAfter: number | null

  constructor(failure: Failure, options?: ErrorOptions) {
    super(failure.message, options)
    this.name = failure.name
    this.status = failure.status
    this.code = failure.code
    this.issues = failure.issues
    this.details = failure.details
    this.requestId = failure.requestId
    this.retryAfter = failure.retryAfter
  }
}
