/**
 * Calls to providers. The operator chooses where they go (a binding's `url`), so private addresses are allowed. Answers
 * are untrusted: no redirects, a bounded body, a deadline for the whole call, and no credential for a URL of another
 * origin than the binding's.
 */
import { ConfigProvider, Context, Effect, Layer, type Redacted, Result } from "effect"
import { Agent } from "undici"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { ConnectionError } from "#domain/Outcome.ts"
import * as Credentials from "#src/features/provider-health/Credentials.ts"
import * as Bytes from "#src/kernel/text/Bytes.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { NoAnswer } from "./NoAnswer.ts"
import * as Connection from "./Connection.ts"
import { type Exchange, exchange, type Received } from "./ProviderExchange.ts"
import * as ProviderJson from "./ProviderJson.ts"
import * as ProviderStream from "./ProviderStream.ts"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, with the texts that its values remember (`JsonText`). */
  readonly body?: Json
  /** Sent as it is, in the place of `body`. Its content type is among `headers`. */
  readonly bytes?: Uint8Array
  /** Called when the request is sent over an open connection. */
  readonly onSent?: () => void
  /** For connecting, sending and the whole answer, ms; 30 s by default. */
  readonly timeoutMs?: number
  /** Limit of the answer, bytes; 32 MiB by default. */
  readonly maxBytes?: number
}

export interface ProviderAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** `undefined` if the body is not JSON. */
  readonly json: Json | undefined
  /** What the body is that is not JSON; `null` if it is. */
  readonly fault: ProviderJson.Fault | null
}

/** An answer read as it arrives: once, by `each` or as `whole`. */
export interface StreamedAnswer extends Pick<ProviderAnswer, "status" | "headers"> {
  /** Passes on each part where it arrives, without a fiber, until the end or until `take` returns `false`. */
  readonly each: (take: ProviderStream.Take) => Effect.Effect<void, NoAnswer>
  /** The answer as `call` returns it, with the usual limit also where that of a stream is larger. */
  readonly whole: Effect.Effect<ProviderAnswer, NoAnswer>
}

const defaultTimeoutMs = 30_000
const defaultMaxBytes = 32 * 1024 * 1024

/** How long a connection waits for its next call, ms, unless the provider announces a time. */
const idleMs = 4_000

/** For making a connection, ms. */
const connectTimeoutMs = 10_000

/** To one origin. Further calls wait for a connection, within their deadline. */
const mostConnections = 4_096

const noAnswer = (reason: NoAnswer["reason"]) => new NoAnswer({ reason })

const inTime = ({ timeoutMs = defaultTimeoutMs }: Call) =>
  Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(noAnswer("timeout")) })

const answerOf = ({ body, headers, status }: Received): ProviderAnswer => {
  const told = { contentType: headers["content-type"], encoding: headers["content-encoding"] }
  return Result.match(ProviderJson.parse(body, told), {
    onSuccess: (json) => ({ status, headers, json, fault: null }),
    onFailure: (fault) => ({ status, headers, json: undefined, fault })
  })
}

const ignore = () => undefined

export class ProviderHttp extends Context.Service<
  ProviderHttp,
  {
    /** Returns answers of any status. An interruption ends the call. An invalid URL or header is a defect. */
    call(call: Call): Effect.Effect<ProviderAnswer, NoAnswer>
    /**
     * As `call`, for an answer that is processed as it arrives. The call ends with `use`, and the deadline includes it.
     */
    stream<A, E, R>(
      call: Call,
      use: (answer: StreamedAnswer) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | NoAnswer, R>
    /** Connects to the origin of `url` and closes the connection. Returns why that failed, or `null`. */
    reach(url: string): Effect.Effect<ConnectionError | null>
    /**
     * The value of the environment variable in the binding's `secretEnv`. `null` without `secretEnv`, and, with a log
     * line, if the variable is not set or not valid in a header.
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

      const exchangeOf = ({
        body,
        bytes,
        headers,
        maxBytes = defaultMaxBytes,
        method,
        onSent,
        url
      }: Call) => {
        const { origin, pathname, search } = new URL(url)
        const sent = {
          accept: "application/json",
          "accept-encoding": "identity",
          "user-agent": "inferlog",
          ...(body !== undefined && { "content-type": "application/json" }),
          ...headers
        }
        if (!Object.values(sent).every(Credentials.isHeaderValue)) {
          throw new Error("a header of a call to a provider has characters that none can have")
        }
        const asked: Exchange = {
          method,
          origin,
          path: pathname + search,
          headers: sent,
          body: bytes ?? (body === undefined ? null : JsonText.write(body)),
          maxBytes,
          onSent: onSent ?? ignore
        }
        return asked
      }

      const call = Effect.fn("ProviderHttp.call")(function* (call: Call) {
        const received = yield* exchange(agent, exchangeOf(call)).pipe(
          Effect.mapError(noAnswer),
          inTime(call)
        )
        return answerOf(received)
      })

      const stream = Effect.fn("ProviderHttp.stream")(function* <A, E, R>(
        call: Call,
        use: (answer: StreamedAnswer) => Effect.Effect<A, E, R>
      ) {
        const opened = Effect.suspend(() => ProviderStream.open(agent, exchangeOf(call)))
        return yield* Effect.mapError(opened, noAnswer).pipe(
          Effect.flatMap(({ headers, status, ...opened }) => {
            const each = (take: ProviderStream.Take) => Effect.mapError(opened.each(take), noAnswer)
            const whole = Effect.suspend(() => {
              const bytes = Bytes.make()
              const read = each((part) => {
                bytes.add(part)
                return bytes.size() <= defaultMaxBytes
              })
              return Effect.flatMap(read, () =>
                bytes.size() > defaultMaxBytes
                  ? Effect.fail(noAnswer("too_large"))
                  : Effect.succeed(answerOf({ status, headers, body: bytes.whole() }))
              )
            })
            return use({ status, headers, each, whole })
          }),
          Effect.scoped,
          inTime(call)
        )
      })

      const tellOfMissing = (name: string, binding: ProviderBinding) => {
        const rateLimited = missing.get(name) ?? RateLimitedLog.make()
        missing.set(name, rateLimited)
        return rateLimited(
          Effect.logError(
            `The environment variable ${name} is not set, or holds no credential: the provider cannot be called`
          ).pipe(Effect.annotateLogs({ provider: binding.name }))
        )
      }

      const secret = Effect.fnUntraced(function* (binding: ProviderBinding) {
        const name = binding.secretEnv
        if (name === undefined) return null
        const value = yield* Credentials.read(environment, name)
        if (value !== null) return value
        yield* tellOfMissing(name, binding)
        return null
      })

      return ProviderHttp.of({ call, stream, secret, reach: Connection.make() })
    })
  )
}
