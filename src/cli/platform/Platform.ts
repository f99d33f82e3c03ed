/** The platform routes of a running server, with an account's key (contract, "Uploads"; decisions, "Platform routes"). */
import { Config, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { type Command, Flag } from "effect/cli"
import { HttpClient } from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import type { HttpClientResponse } from "effect/http/HttpClientResponse"
import * as Failure from "#src/cli/Failure.ts"
import * as Exchange from "./Exchange.ts"
import { type Refused, type Unreachable, unexpected } from "./CallErrors.ts"

const local = "http://127.0.0.1:8080"

export const flags = {
  url: Flag.String("url").pipe(
    Flag.withMetavar("URL"),
    Flag.withDescription(`The server's BASE_URL (default: INFERLOG_URL, or ${local})`),
    Flag.optional
  ),
  key: Flag.Redacted("key").pipe(
    Flag.withMetavar("keyId:secret"),
    Flag.withDescription(
      "The API key. Other users of this machine can see it while the command runs: prefer INFERLOG_API_KEY"
    ),
    Flag.optional
  )
}

type Given = Command.Command.Config.Infer<typeof flags>

export interface Call {
  readonly method: "GET" | "POST" | "DELETE"
  /** A path from the server's root, or a URL from a response of the server. Both are called with the key. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** In addition to `Authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Statuses outside 2xx that do not fail the call. */
  readonly accepts?: ReadonlyArray<number>
}

export type CallError = Refused | Unreachable | Failure.UsageError

export class Platform extends Context.Service<
  Platform,
  {
    /** Without a trailing slash. */
    readonly url: string
    readonly hasKey: boolean
    /** One exchange without retries. Returns the JSON body; `null` for an empty one. */
    call(call: Call): Effect.Effect<unknown, CallError>
    /** The same without reading the body, for endless responses. The caller limits the time. */
    open(call: Call): Effect.Effect<HttpClientResponse, CallError>
  }
>()("inferlog/src/cli/platform/Platform") {}

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

const requestOf = (
  url: string,
  key: Redacted.Redacted,
  { body, headers = {}, method, path, query = {} }: Call
) => {
  const request = HttpClientRequest.make(method)(path.startsWith("/") ? url + path : path).pipe(
    HttpClientRequest.setUrlParams(query),
    HttpClientRequest.setHeaders(headers),
    HttpClientRequest.setHeader("authorization", `Key ${Redacted.value(key)}`)
  )
  return body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)
}

const parse = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Unknown))

const make = Effect.fnUntraced(function* (given: Given) {
  const client = yield* HttpClient
  const url = yield* addressOf(given.url)
  const key = yield* keyOf(given.key)
  const notOurs = () => unexpected(`${url} does not answer like an inferlog server: check the address`)

  const open = (call: Call): Effect.Effect<HttpClientResponse, CallError> =>
    key === null
      ? Effect.fail(wrong("INFERLOG_API_KEY: Expected an API key in this variable, or with --key"))
      : Effect.provideService(Exchange.send(requestOf(url, key, call), call.accepts), HttpClient, client)

  const call = Effect.fnUntraced(function* (call: Call) {
    const exchange = Effect.flatMap(open(call), (answer) =>
      Effect.mapError(answer.text, Exchange.unreachable(url))
    )
    const text = yield* Exchange.guarded(url, () => exchange)
    if (text === "") return null
    return yield* Effect.mapError(parse(text), notOurs)
  })

  return Platform.of({ url, hasKey: key !== null, call, open })
})

/** With an HTTP client for requests without a key. */
export const layer = (given: Given) =>
  Layer.effect(Platform, make(given)).pipe(Layer.provideMerge(Exchange.layerClient))

const notAsExpected = (call: Call) => () =>
  unexpected(`unexpected response of ${call.method} ${call.path}: the server may be another release`)

/** A function that calls a route and decodes its response. Ignores response fields that are not in the schema. */
export const route = <S extends Schema.ConstraintDecoder<unknown>, Input extends ReadonlyArray<unknown>>(
  schema: S,
  callOf: (...input: Input) => Call
) => {
  const decode = Schema.decodeUnknownEffect(schema)
  return Effect.fnUntraced(function* (...input: Input): Effect.fn.Return<S["Type"], CallError, Platform> {
    const call = callOf(...input)
    const answer = yield* (yield* Platform).call(call)
    return yield* Effect.mapError(decode(answer), notAsExpected(call))
  })
}
