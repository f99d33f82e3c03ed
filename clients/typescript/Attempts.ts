import { ApiError } from "./ApiError.ts"
import type { Clock, Exchanged, Hooks } from "./ClientOptions.ts"
import { UnreachableError } from "./InferlogError.ts"
import type { CallScope } from "./Scope.ts"

/** An exchange without a whole answer. Never leaves this package: callers get `failure`. */
export class Broken extends Error {
  readonly failure: Error

  constructor(reason: string, cause: unknown, failure: Error = new UnreachableError(reason, { cause })) {
    super(reason, { cause })
    this.failure = failure
  }
}

/** What a hook gives; nothing if it throws. */
export const hooked = async <A>(hook: () => A): Promise<Awaited<A> | undefined> => {
  try {
    return await hook()
  } catch {
    return undefined
  }
}

/** The longest pause that a server may ask for, in ms; beyond it the caller gets the error at once. */
const longestPause = 60_000

const passing: ReadonlyArray<number> = [408, 425, 429, 500, 502, 503, 504]

/** Whether another attempt may succeed. */
export const mayPass = (error: unknown, repeatable = true): error is ApiError | Broken =>
  error instanceof Broken
    ? repeatable
    : error instanceof ApiError &&
      passing.includes(error.status) &&
      error.code !== "SIGNING_SECRETS_UNREADABLE" &&
      // The server has done nothing if it answers so.
      (repeatable || error.status === 429 || error.status === 503)

export interface AttemptsOptions {
  readonly clock: Clock
  readonly hooks: Hooks
  readonly retries: number
  readonly scope: CallScope
}

/** Counts the attempts of one call, and pauses between them. */
export class Attempts {
  /** The least pause that a stream asked for (`retry:`), in ms. */
  retry: number | null = null
  #failed = 0
  #sent: Exchanged = { method: "", url: "", attempt: 0 }
  readonly #options: AttemptsOptions

  constructor(options: AttemptsOptions) {
    this.#options = options
  }

  /** Another exchange begins. @returns what hooks get. */
  begin(method: string, url: string): Exchanged {
    return (this.#sent = { method, url, attempt: this.#sent.attempt + 1 })
  }

  /** A stream has brought something: what failed before does not count any more. */
  begunAnew(): void {
    this.#failed = 0
  }

  /** How many attempts in a row have failed. */
  get failed(): number {
    return this.#failed
  }

  /** Pauses before the next attempt, or throws the error that ends the call. */
  async next(error: unknown, repeatable = true): Promise<void> {
    const { clock, hooks, retries, scope } = this.#options
    scope.check()
    const failure = error instanceof Broken ? error.failure : (error as Error)
    if (!mayPass(error, repeatable) || this.#failed >= retries) throw failure
    const spread = Math.min(30_000, 500 * 2 ** this.#failed)
    const asked = error instanceof ApiError ? error.retryAfter : this.retry
    if (asked !== null && asked > longestPause) throw failure
    const delay = Math.ceil((asked ?? spread / 2) + (Math.random() * spread) / 2)
    if (clock.now() + delay >= scope.until) throw scope.deadlineExceeded(failure)
    this.#failed++
    const reason = error instanceof Broken ? error.message : `${error.status}`
    void hooked(() => hooks.retry?.({ ...this.#sent, delay, reason, error: failure }))
    await scope.race(clock.sleep(delay, scope.signal))
    scope.check()
  }
}
