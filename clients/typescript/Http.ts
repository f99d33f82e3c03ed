import { addressOf, type Query, queryOf } from "./Addresses.ts"
import { ApiError } from "./ApiError.ts"
import { Attempts, Broken, hooked } from "./Attempts.ts"
import {
  type ClientOptions,
  type Clock,
  environment,
  type Exchanged,
  type Hooks,
  type Key,
  systemClock
} from "./ClientOptions.ts"
import { errorOf, objectOf } from "./ErrorAnswer.ts"
import type { Send, SendInit } from "./files/Put.ts"
import { InferlogError, UnexpectedAnswerError } from "./InferlogError.ts"
import { type CallOptions, CallScope, Scope } from "./Scope.ts"

export interface Exchange {
  readonly method?: string
  /** Default: `base`. `none`: `path` is a whole URL that carries its own credentials, and gets no key. */
  readonly host?: "base" | "queue" | "none"
  readonly path: string
  readonly query?: Query | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  /** The body, as JSON. */
  readonly json?: unknown
  /** The body, as a text of JSON. */
  readonly text?: string | undefined
  /** For how long the server may hold the answer, in ms. */
  readonly held?: number | undefined
  /** Whether it may be sent again when its answer was lost. Default: yes. */
  readonly repeatable?: boolean | undefined
  /** Whether the body of an error is an answer all the same. */
  readonly accepts?: ((body: Readonly<Record<string, unknown>>) => boolean) | undefined
  /** Default: a redirect is an error, so that no key goes elsewhere. */
  readonly redirect?: "follow" | undefined
  /** Sends it in place of `fetch`, with a body of its own. */
  readonly send?: Send | undefined
}

/** An answer whose body is read piece by piece. */
export interface Opened {
  readonly response: Response
  /** Throws `Broken` when the connection breaks, or is silent for the time of an exchange. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** Frees the connection. */
  readonly close: () => void
}

type Read<A> = (response: Response, limit: Scope) => Promise<A>

/** Exchanges with a server: keys, time limits, retries, hooks, and errors as their classes. */
export class Http {
  readonly clock: Clock
  /** The caller's, if there is one. */
  readonly ownFetch: typeof globalThis.fetch | undefined
  readonly #urls: { readonly base: string; readonly queue: string; readonly none: string }
  readonly #key: Key | undefined
  #asked: Promise<string | undefined> | undefined
  readonly #fetch: typeof globalThis.fetch
  readonly #headers: Readonly<Record<string, string>>
  readonly #retries: number
  readonly #timeout: number
  readonly #hooks: Hooks

  constructor(options: ClientOptions) {
    const base = addressOf(options.url ?? environment("INFERLOG_URL") ?? "http://127.0.0.1:8080")
    this.#urls = { base, queue: addressOf(options.queueUrl ?? base), none: "" }
    this.#key = options.key ?? environment("INFERLOG_API_KEY")
    // Looked up at each call, because libraries for tracing replace it. Unbound, because browsers refuse it as a method.
    this.#fetch = options.fetch ?? ((...call) => globalThis.fetch(...call))
    this.ownFetch = options.fetch
    this.#headers = options.headers ?? {}
    this.#retries = options.retries ?? 5
    this.#timeout = options.timeout ?? 60_000
    this.#hooks = options.hooks ?? {}
    this.clock = options.clock ?? systemClock
  }

  /** Runs `body` within the caller's signal and deadline. What it leaves running ends with it. */
  async call<A>(options: CallOptions | undefined, body: (scope: CallScope) => Promise<A>): Promise<A> {
    const scope = new CallScope(options ?? {}, this.clock.now())
    try {
      scope.check()
      return await body(scope)
    } finally {
      scope.abort(undefined)
    }
  }

  /** A call of one exchange. */
  ask<A>(exchange: Exchange, options: CallOptions | undefined): Promise<A> {
    return this.call(options, (scope) => this.json<A>(exchange, scope))
  }

  /** A POST that does something anew each time, so it is not sent again when its answer was lost. */
  postOnce<A>(path: string, json: unknown, options: CallOptions | undefined): Promise<A> {
    return this.ask({ method: "POST", path, json, repeatable: false }, options)
  }

  attempts(scope: CallScope, retries: number = this.#retries): Attempts {
    return new Attempts({ clock: this.clock, hooks: this.#hooks, retries, scope })
  }

  /** The JSON of the answer, unchecked; `undefined` for a 204. */
  json<A>(exchange: Exchange, scope: CallScope, attempts?: Attempts): Promise<A> {
    return this.#repeat(exchange, scope, attempts, async (response, limit) => {
      const text = await limit.race(response.text())
      limit.end()
      if (text === "" && response.status === 204) return undefined as A
      try {
        return JSON.parse(text) as A
      } catch (error) {
        const failure = new UnexpectedAnswerError("The answer is not JSON: is it of an inferlog server?")
        // Where nothing announces its length, an answer that was cut off looks whole.
        const isJson = /\bjson\b/.test(response.headers.get("content-type") ?? "")
        throw isJson ? new Broken("cut off", error, failure) : failure
      }
    })
  }

  /** The headers of an answer whose body does not matter. */
  headers(exchange: Exchange, scope: CallScope, attempts?: Attempts): Promise<Headers> {
    return this.#repeat(exchange, scope, attempts, async (response, limit) => {
      await limit.race(response.arrayBuffer())
      limit.end()
      return response.headers
    })
  }

  /** Opens a body that is read piece by piece. Close it. */
  open(exchange: Exchange, scope: CallScope, attempts?: Attempts): Promise<Opened> {
    return this.#repeat(exchange, scope, attempts, this.#opened(scope))
  }

  /** As `open`, once: throws `Broken` and `ApiError` for `attempts.next`. */
  connect(exchange: Exchange, scope: CallScope, attempts: Attempts): Promise<Opened> {
    return this.#attempt(exchange, scope, attempts, this.#opened(scope))
  }

  #opened(scope: CallScope): Read<Opened> {
    return async (response, limit) => {
      // The caller may take its time before the first chunk, too.
      limit.endAfter(Infinity)
      return {
        response,
        chunks: this.#chunks(response, scope, limit),
        close: () => limit.abort(undefined)
      }
    }
  }

  async *#chunks(response: Response, scope: CallScope, limit: Scope): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader()
    try {
      while (reader !== undefined) {
        limit.endAfter(this.#timeout, () => new Broken("silent", undefined))
        const { done, value } = await limit.race(reader.read())
        limit.endAfter(Infinity)
        if (done) return
        yield value
      }
    } catch (error) {
      scope.check()
      throw error instanceof Broken ? error : new Broken("connection broken", error)
    } finally {
      limit.end()
      reader?.cancel().catch(() => {})
    }
  }

  async #repeat<A>(
    exchange: Exchange,
    scope: CallScope,
    attempts: Attempts = this.attempts(scope),
    read: Read<A>
  ): Promise<A> {
    while (true) {
      try {
        return await this.#attempt(exchange, scope, attempts, read)
      } catch (error) {
        await attempts.next(error, exchange.repeatable)
      }
    }
  }

  /** One attempt, repeated at once with another key if the first was refused. */
  async #attempt<A>(exchange: Exchange, scope: CallScope, attempts: Attempts, read: Read<A>): Promise<A> {
    const { host = "base", method = "GET", path, query = {} } = exchange
    const url = this.#urls[host] + path + queryOf(query)
    const send = async (key: Promise<string | undefined> | undefined) => {
      scope.check()
      const sent = attempts.begin(method, host === "none" ? url.replace(/\?.*/s, "") : url)
      const headers = await scope.race(this.#headersOf(exchange, sent, key))
      return this.#once({ ...exchange, method, path: url }, headers, scope, sent, read)
    }
    const key = host === "none" ? undefined : this.#askedKey()
    try {
      return await send(key)
    } catch (error) {
      scope.check()
      const isRefused = error instanceof ApiError && error.status === 401
      if (!isRefused || key === undefined || typeof this.#key !== "function") throw error
      // Another call may have asked meanwhile.
      if (this.#asked === key) this.#asked = undefined
      return await send(this.#askedKey())
    }
  }

  async #headersOf(
    exchange: Exchange,
    sent: Exchanged,
    asked: Promise<string | undefined> | undefined
  ): Promise<Headers> {
    const headers = new Headers()
    const add = (more: Readonly<Record<string, string | undefined>> | undefined | void) => {
      for (const [name, value] of Object.entries(more ?? {}))
        if (value !== undefined) headers.set(name, value)
    }
    const traced = await hooked(() => this.#hooks.request?.(sent))
    if (asked !== undefined) {
      add(this.#headers)
      add(traced)
      const key = (await asked)?.trim()
      // The error of a runtime would show the key.
      if (key && !/^[\x21-\x7e]+$/.test(key)) throw new TypeError("The key has characters that no key has")
      if (key) headers.set("authorization", `Key ${key}`)
    }
    if ((exchange.text ?? exchange.json) !== undefined) headers.set("content-type", "application/json")
    add(exchange.headers)
    return headers
  }

  async #once<A>(
    exchange: Exchange,
    headers: Headers,
    scope: CallScope,
    sent: Exchanged,
    read: Read<A>
  ): Promise<A> {
    const { accepts, held = 0, json, method, path, redirect = "manual" } = exchange
    const body: string | undefined = exchange.text ?? JSON.stringify(json)
    const limit = new Scope(scope.signal)
    try {
      limit.endAfter(this.#timeout + held, () => new Broken("timeout", undefined))
      const begun = this.clock.now()
      const init = { method, headers, redirect, signal: limit.signal, ...(body !== undefined && { body }) }
      const response = await limit.race((exchange.send ?? this.#fetch)(path, init as SendInit))
      const { status } = response
      void hooked(() =>
        this.#hooks.response?.({
          ...sent,
          status,
          duration: this.clock.now() - begun,
          requestId: response.headers.get("x-request-id") ?? undefined
        })
      )
      if (response.ok) return await read(response, limit)
      if (status < 400) throw new UnexpectedAnswerError("The server redirects: give its own address as `url`")
      const answered = await limit.race(response.text())
      limit.end()
      const failed = objectOf(answered)
      if (accepts?.(failed)) return failed as A
      throw errorOf({ status, headers: response.headers, text: answered }, this.clock.now())
    } catch (error) {
      limit.abort(error)
      scope.check()
      throw error instanceof InferlogError || error instanceof Broken
        ? error
        : new Broken("connection broken", error)
    }
  }

  /** The promise of the key, which all calls share until one of them gets a 401. */
  #askedKey(): Promise<string | undefined> {
    const key = this.#key
    if (typeof key !== "function") return Promise.resolve(key)
    if (this.#asked === undefined) {
      const asked = Promise.resolve().then(key)
      this.#asked = asked
      asked.catch(() => {
        if (this.#asked === asked) this.#asked = undefined
      })
    }
    return this.#asked
  }
}
