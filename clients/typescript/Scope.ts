import { DeadlineExceededError } from "./InferlogError.ts"

/** What every call takes. */
export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The most that the whole call may take, with all its attempts, in ms. Without it there is no limit. */
  readonly timeout?: number | undefined
}

/** A signal that follows another and ends after a time. `end` frees the timer and the listener, so that nothing is left at `outer`. */
export class Scope {
  readonly #controller: AbortController = new AbortController()
  readonly #outer: AbortSignal | undefined
  readonly #follow = (): void => this.abort(this.#outer?.reason)
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(outer: AbortSignal | undefined) {
    this.#outer = outer
    if (outer?.aborted) this.#follow()
    else outer?.addEventListener("abort", this.#follow)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
    this.end()
  }

  /** Aborts in `ms` with what `reason` gives then; replaces an earlier time. */
  endAfter(ms: number, reason?: () => unknown): void {
    clearTimeout(this.#timer)
    // Timers of 2^31 ms and more would end at once.
    if (ms < 2 ** 31) this.#timer = setTimeout(() => this.abort(reason?.()), ms)
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#outer?.removeEventListener("abort", this.#follow)
  }

  /** Throws the reason if it has ended. */
  check(): void {
    if (this.signal.aborted) throw this.signal.reason
  }

  /** What `promise` gives, unless this scope is aborted first. For promises that may ignore its signal. */
  race<A>(promise: Promise<A>): Promise<A> {
    const { signal } = this
    return new Promise<A>((resolve, reject) => {
      const abort = () => reject(signal.reason)
      if (signal.aborted) abort()
      signal.addEventListener("abort", abort)
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
    })
  }
}

/** The scope of one call of a client. */
export class CallScope extends Scope {
  /** When it ends, in ms of the client's clock; infinite without a timeout. */
  readonly until: number
  readonly timeout: number | undefined
  /** The id of the request that it is about, once known. */
  requestId: string | undefined

  constructor({ signal, timeout }: CallOptions, now: number) {
    super(signal)
    this.timeout = timeout
    this.until = timeout === undefined ? Infinity : now + timeout
    if (timeout !== undefined) this.endAfter(timeout, () => this.deadlineExceeded())
  }

  deadlineExceeded(cause?: unknown): DeadlineExceededError {
    return new DeadlineExceededError(this.timeout ?? 0, this.requestId, cause === undefined ? {} : { cause })
  }
}
