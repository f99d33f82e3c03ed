/** The client of a running server as effects. */
import { Clock, Config, Console, Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import type { ClientOptions } from "#clients/typescript/ClientOptions.ts"
import { Inferlog } from "#clients/typescript/Inferlog.ts"
import { UnreachableError } from "#clients/typescript/InferlogError.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as CallError from "./CallError.ts"
import { type Given, local } from "./PlatformFlags.ts"

/** How often a call is repeated that fails for now. The last try is about a minute after the first. */
const retries = 7

/** Longest time without an answer, ms: the server hashes and syncs a file before it answers. */
const longestStall = 180_000

export interface Connection extends Pick<
  ClientOptions,
  "fetch" | "hooks" | "queueUrl" | "retries" | "timeout"
> {
  /** Reports in one line why a call pauses. By default it goes to stderr. */
  readonly onWait?: ((text: string) => void) | undefined
}

export class Platform extends Context.Service<
  Platform,
  {
    /** Without a trailing slash. */
    readonly url: string
    readonly hasKey: boolean
    /** Its calls do not wait for a server that has never answered. */
    readonly connect: (connection?: Connection) => Inferlog
    /** `fetch` of such a client. */
    readonly fetch: typeof globalThis.fetch
  }
>()("inferlog/src/cli/platform/Platform") {}

type Failed = CallError.CallError | Failure.UsageError

const wrong = (message: string) => new Failure.UsageError({ message })

const urlFromEnvironment = Config.String("INFERLOG_URL").pipe(Config.withDefault(local))

/** Does not show the invalid value, because it may contain a password. */
const addressOf = Effect.fnUntraced(function* (given: Option.Option<string>) {
  const text = Option.isSome(given) ? given.value : yield* urlFromEnvironment
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "") {
    return (url.origin + url.pathname).replace(/\/+$/, "")
  }
  const name = Option.isSome(given) ? "--url" : "INFERLOG_URL"
  return yield* wrong(`${name}: Expected an address such as ${local}`)
})

const keyFromEnvironment = Config.option(Config.schema(Schema.Redacted(Schema.String), "INFERLOG_API_KEY"))

/** Trimmed. The key is never shown. */
const keyOf = Effect.fnUntraced(function* (given: Option.Option<Redacted.Redacted>) {
  const found = Option.isSome(given) ? given : yield* keyFromEnvironment
  if (Option.isNone(found)) return null
  const key = Redacted.value(found.value).trim()
  if (/^[\x21-\x7e]{1,512}$/.test(key)) return Redacted.make(key)
  return yield* wrong(`${Option.isSome(given) ? "--key" : "INFERLOG_API_KEY"}: Expected a key, keyId:secret`)
})

/** Asked for by the first call that needs a key. */
const missingKey = (): never => {
  throw wrong("INFERLOG_API_KEY: Expected an API key in this variable, or with --key")
}

/** `fetch` whose failures name the address, and are final until the server has answered once. */
const reaching = (url: string): typeof globalThis.fetch => {
  let isReached = false
  return async (input, init) => {
    const { origin } = new URL(input instanceof Request ? input.url : input)
    const isServer = origin === new URL(url).origin
    try {
      const response = await globalThis.fetch(input, init)
      isReached ||= isServer
      return response
    } catch (cause) {
      const failure = new CallError.NoConnection(`${origin} does not answer: ${CallError.reasonOf(cause)}`)
      throw isReached || !isServer ? failure : new UnreachableError(failure.message, { cause: failure })
    }
  }
}

const make = Effect.fnUntraced(function* (
  given: Option.Option<string>,
  key: Redacted.Redacted | null,
  withoutKey: () => undefined
) {
  const url = yield* addressOf(given)
  const console = yield* Console.Console
  const clock = yield* Clock.Clock
  const fetch = reaching(url)
  return Platform.of({
    url,
    fetch,
    hasKey: key !== null,
    connect: ({ hooks, onWait = (text: string) => console.error(text), ...rest } = {}) =>
      new Inferlog({
        url,
        fetch,
        retries,
        timeout: longestStall,
        key: key === null ? withoutKey : Redacted.value(key),
        clock: {
          now: () => clock.currentTimeMillisUnsafe(),
          sleep: async (ms, signal) => {
            await Effect.runPromiseExit(clock.sleep(Duration.millis(ms)), { signal })
          }
        },
        hooks: {
          retry: ({ delay, error }) => {
            const { message } = CallError.of(url)(error)
            const pause = Output.duration(Math.max(1_000, delay))
            onWait(`${message.replace(/\.$/, "")}; next try in ${pause}.`)
          },
          ...hooks
        },
        ...rest
      })
  })
})

/** With the key of an account. */
export const layer = ({ key, url }: Given) =>
  Layer.effect(
    Platform,
    Effect.flatMap(keyOf(key), (key) => make(url, key, missingKey))
  )

/** For public routes: sends no key, not even that of the environment. */
export const layerPublic = ({ url }: Pick<Given, "url">) =>
  Layer.effect(
    Platform,
    make(url, null, () => undefined)
  )

/** Runs calls of a client. The signal ends them when the effect is interrupted. */
export const call = Effect.fnUntraced(function* <A>(
  run: (client: Inferlog, signal: AbortSignal) => Promise<A>,
  connection?: Connection
): Effect.fn.Return<A, Failed, Platform> {
  const { connect, url } = yield* Platform
  const client = connect(connection)
  return yield* Effect.tryPromise({ try: (signal) => run(client, signal), catch: CallError.of(url) })
})
