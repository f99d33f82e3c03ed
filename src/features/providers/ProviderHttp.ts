/**
 * Calls to providers. Where they go is the operator's word (a binding's `url`), so private addresses are fine; what a provider
 * answers is not trusted: no redirects, a bounded body, a deadline over all of a call, and no URL that it names is called
 * with a credential unless it is of the binding's own origin.
 */
import { Config, ConfigProvider, Context, Effect, Layer, Option, Redacted, Result, Stream } from "effect"
import { Agent } from "undici"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ConnectionError } from "#domain/Outcome.ts"
import * as JsonBytes from "#src/kernel/text/JsonBytes.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { NoAnswer } from "./NoAnswer.ts"
import * as Connection from "./Connection.ts"
import { type Exchange, exchange } from "./ProviderExchange.ts"
import * as ProviderStream from "./ProviderStream.ts"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Json
  /** Called when it goes out over a connection that is open. */
  readonly onSent?: () => void
  /** Over connecting, sending and the whole answer, ms. 30 s when not given. */
  readonly timeoutMs?: number
  /** Of the answer, bytes. 32 MiB when not given. */
  readonly maxBytes?: number
}

export interface ProviderAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined` when the body is no JSON. */
  readonly json: Json | undefined
}

/** An answer that is read as it comes: once, as `body` or as `whole`. */
export interface StreamedAnswer extends Omit<ProviderAnswer, "json"> {
  readonly body: Stream.Stream<Uint8Array, NoAnswer>
  /** As `call` would have had it. */
  readonly whole: Effect.Effect<ProviderAnswer, NoAnswer>
}

const defaultTimeoutMs = 30_000
const defaultMaxBytes = 32 * 1024 * 1024

/** How long a connection waits for its next call, in ms, where the provider announces nothing else. */
const idleMs = 4_000

/** For a connection to be made, ms. */
const connectTimeoutMs = 10_000

/** To one origin; further calls wait for one of them, within their time. */
const mostConnections = 4_096

const noAnswer = (reason: NoAnswer["reason"]) => new NoAnswer({ reason })

const inTime = ({ timeoutMs = defaultTimeoutMs }: Call) =>
  Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(noAnswer("timeout")) })

const jsonOf = (body: Uint8Array): Json | undefined => Result.getOrUndefined(JsonBytes.parse(body))

const ignore = () => undefined

/** What a header can hold (RFC 9110 5.5), in the characters that every server reads alike. */
const isHeaderValue = (text: string): boolean => /^[\x20-\x7e]+$/.test(text)

export class ProviderHttp extends Context.Service<
  ProviderHttp,
  {
    /** Any status is an answer. Interruption ends the call. A URL that is none, or a header that cannot be sent, is a defect. */
    call(call: Call): Effect.Effect<ProviderAnswer, NoAnswer>
    /** As `call`, for an answer that is worked on while it comes: within the deadline, and the call ends with `use`. */
    stream<A, E, R>(
      call: Call,
      use: (answer: StreamedAnswer) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | NoAnswer, R>
    /** Makes a connection to where `url` leads and closes it; why that is not possible, or `null`. */
    reach(url: string): Effect.Effect<ConnectionError | null>
    /**
     * What the binding's `secretEnv` names, from the environment; `null` when it names none, or when the variable is not set
     * or holds what no header can: then that is logged.
     */
    secret(binding: ProviderBinding): Effect.Effect<Redacted.Redacted | null>
  }
>()("inferlog/src/features/providers/ProviderHttp") {
  static readonly layer = Layer.effect(
    ProviderHttp,
    Effect.gen(function* () {
      const environment = yield* ConfigProvider.ConfigProvider
      const agent = yield* Effect.acquireRelease(
        Effect.sync(
          () =>
            new Agent({
              allowH2: false,
              pipelining: 1,
              headersTimeout: 0,
              bodyTimeout: 0,
              keepAliveTimeout: idleMs,
              connections: mostConnections,
              connect: { timeout: connectTimeoutMs }
            })
        ),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const missing = new Map<string, ReturnType<typeof RateLimitedLog.make>>()

      const exchangeOf = ({ body, headers, maxBytes = defaultMaxBytes, method, onSent, url }: Call) => {
        const { origin, pathname, search } = new URL(url)
        const sent = {
          accept: "application/json",
          "accept-encoding": "identity",
          "user-agent": "inferlog",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers
        }
        if (!Object.values(sent).every(isHeaderValue)) {
          throw new Error("a header of a call to a provider has characters that none can have")
        }
        const asked: Exchange = {
          method,
          origin,
          path: pathname + search,
          headers: sent,
          body: body === undefined ? null : JSON.stringify(body),
          maxBytes,
          onSent: onSent ?? ignore
        }
        return asked
      }

      const call = Effect.fn("ProviderHttp.call")(function* (call: Call) {
        const { body, headers, status } = yield* exchange(agent, exchangeOf(call)).pipe(
          Effect.mapError(noAnswer),
          inTime(call)
        )
        const answer: ProviderAnswer = { status, headers, json: jsonOf(body) }
        return answer
      })

      const stream = Effect.fn("ProviderHttp.stream")(function* <A, E, R>(
        call: Call,
        use: (answer: StreamedAnswer) => Effect.Effect<A, E, R>
      ) {
        const opened = Effect.suspend(() => ProviderStream.open(agent, exchangeOf(call)))
        return yield* Effect.mapError(opened, noAnswer).pipe(
          Effect.flatMap(({ headers, status, ...opened }) => {
            const body = Stream.mapError(opened.body, noAnswer)
            const whole = Effect.map(Stream.runCollect(body), (parts): ProviderAnswer => ({
              status,
              headers,
              json: jsonOf(Buffer.concat(parts))
            }))
            return use({ status, headers, body, whole })
          }),
          Effect.scoped,
          inTime(call)
        )
      })

      const tellOfMissing = (name: string, binding: ProviderBinding) => {
        const sparingly = missing.get(name) ?? RateLimitedLog.make()
        missing.set(name, sparingly)
        return sparingly(
          Effect.logError(
            `The environment variable ${name} is not set, or holds no credential: the provider cannot be called`
          ).pipe(Effect.annotateLogs({ provider: binding.name }))
        )
      }

      const secret = Effect.fnUntraced(function* (binding: ProviderBinding) {
        const name = binding.secretEnv
        if (name === undefined) return null
        const value = yield* Config.option(Config.String(name))
          .parse(environment)
          .pipe(Effect.orElseSucceed(Option.none))
        const text = Option.getOrElse(value, () => "").trim()
        if (isHeaderValue(text)) return Redacted.make(text, { label: name })
        yield* tellOfMissing(name, binding)
        return null
      })

      return ProviderHttp.of({ call, stream, secret, reach: Connection.make() })
    })
  )
}
