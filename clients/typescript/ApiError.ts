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
  declare readonly name: string
  /** The status of HTTP. */
  declare readonly status: number
  /** `details.code` of the answer, such as `RATE_LIMITED`. */
  declare readonly code: string | undefined
  declare readonly issues: ReadonlyArray<Issue>
  declare readonly details: Readonly<Record<string, unknown>>
  /** The id of the exchange, which the server's log has too. It is not the id of a request. */
  declare readonly requestId: string | undefined
  /** How long the server asks to wait, in ms. */
  declare readonly retryAfter: number | null

  constructor(failure: Failure) {
    super(failure.message)
    Object.assign(this, failure)
  }
}
