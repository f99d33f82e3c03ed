/** Time, for tests that cannot wait. Deadlines and time limits of exchanges do not go through it. */
export interface Clock {
  /** ms since 1970. */
  now(): number
  /** Resolves after `ms`, and may reject when `signal` aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export interface Exchanged {
  readonly method: string
  /** Without the query if that is a credential, as in presigned URLs. */
  readonly url: string
  /** From 1. */
  readonly attempt: number
}

/** For tracing and logs. What a hook throws is ignored. */
export interface Hooks {
  /** Before an attempt. What it returns is added to the headers, such as `traceparent`, but not to those of presigned URLs and files. */
  readonly request?: (
    sent: Exchanged
  ) => Readonly<Record<string, string>> | void | Promise<Readonly<Record<string, string>> | void>
  /** When status and headers are there. `duration` is in ms; `requestId` is the exchange's, as in the server's log. */
  readonly response?: (
    answered: Exchanged & {
      readonly status: number
      readonly duration: number
      readonly requestId: string | undefined
    }
  ) => void
  /** Before the pause of `delay` ms after the failed `attempt`. `error` is what the call throws if it is the last one. */
  readonly retry?: (
    failed: Exchanged & { readonly delay: number; readonly reason: string; readonly error: Error }
  ) => void
}

/** A key or token, or a function that returns one: called before the first exchange, and again after a 401. */
export type Key = string | (() => string | undefined | Promise<string | undefined>)

export interface ClientOptions {
  /** Address of the server (its BASE_URL). Default: `INFERLOG_URL` of the environment, or `http://127.0.0.1:8080`. */
  readonly url?: string | URL | undefined
  /** Default: `INFERLOG_API_KEY` of the environment; without one, calls have no `Authorization`. */
  readonly key?: Key | undefined
  /** Address for requests, where it differs (QUEUE_URL). */
  readonly queueUrl?: string | URL | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Added to all calls of the server, but not to those of presigned URLs and files. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** How often an exchange is repeated when another attempt may succeed. Default: 5. */
  readonly retries?: number | undefined
  /** The most that one exchange may take, and the longest silence of a stream, in ms. Default: 60,000. */
  readonly timeout?: number | undefined
  readonly hooks?: Hooks | undefined
  readonly clock?: Clock | undefined
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const stop = () => {
        clearTimeout(timer)
        signal.removeEventListener("abort", stop)
        resolve()
      }
      const timer = setTimeout(stop, ms)
      signal.addEventListener("abort", stop)
    })
}

/** A variable of the environment, where there is one. */
export const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name] || undefined
