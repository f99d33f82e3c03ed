/** Every error of this package. The others extend it, so that one `instanceof` finds them all. */
export class InferlogError extends Error {
  override readonly name: string = "InferlogError"
}

/** No whole answer came, after all attempts. `cause` is what the last one failed with. */
export class UnreachableError extends InferlogError {
  override readonly name: string = "UnreachableError"
}

/** The call did not end within its `timeout`. */
export class DeadlineExceededError extends InferlogError {
  override readonly name: string = "DeadlineExceededError"
  /** The id of the request that the call made or followed, if it was known. */
  readonly request_id: string | undefined

  constructor(timeout: number, request_id?: string, options?: ErrorOptions) {
    super(`The call did not end within ${timeout} ms`, options)
    this.request_id = request_id
  }
}

/** The answer is not one of an inferlog server: a proxy, a redirect, or another service. */
export class UnexpectedAnswerError extends InferlogError {
  override readonly name: string = "UnexpectedAnswerError"
}
