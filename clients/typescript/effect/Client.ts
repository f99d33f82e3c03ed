/**
 * `@inferlog/client/effect`: the public API for users of Effect. A method for each operation, with schemas and tagged errors, by group:
 * `client.queue.submitRequest({ params, payload, headers })`.
 */
import { Context, Effect, Layer, Redacted, type Schedule } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { HttpApiClient } from "effect/http-api"
import { Api, onQueue } from "./Api.ts"
import * as Retrying from "./Retrying.ts"

export { Api } from "./Api.ts"
export * as Errors from "./Errors.ts"
export * as Events from "./Events.ts"
export * as Schemas from "./Schemas.ts"

export interface Options {
  /** The server's address (BASE_URL). */
  readonly url: string | URL
  /** The address for requests (QUEUE_URL), where it differs. */
  readonly queueUrl?: string | URL | undefined
  /** A key or token. Without one, only public routes answer. */
  readonly key?: Redacted.Redacted | undefined
  /**
   * How often and when a call is repeated: one that was refused with 429 or 503, and one that failed otherwise for now and does nothing
   * twice. `Retry-After` of an answer is waited for, up to 60 s. Default: `Retrying.usual`, five times.
   */
  readonly retry?: Schedule.Schedule<unknown, unknown> | undefined
}

/** An interface, because its name alone is then part of the types of others: written out, it is longer than the compiler allows. */
export interface Client extends HttpApiClient.ForApi<typeof Api> {}

const addressOf = (url: string | URL): string => String(url).replace(/\/+$/, "")

/** A client over the `HttpClient` of the context. A submit without an `idempotency-key` gets a random one, so that it can be repeated. */
export const make = Effect.fnUntraced(function* (
  options: Options
): Effect.fn.Return<Client, never, HttpClient.HttpClient> {
  const { key, retry = Retrying.usual, url, queueUrl = url } = options
  const authorized =
    key === undefined
      ? (request: HttpClientRequest.HttpClientRequest) => request
      : HttpClientRequest.setHeader("authorization", `Key ${Redacted.value(key)}`)
  const clientAt = (url: string | URL) =>
    HttpApiClient.make(Api, {
      baseUrl: addressOf(url),
      transformClient: (client) => client.pipe(HttpClient.mapRequest(authorized), Retrying.retried(retry))
    })
  const base = yield* clientAt(url)
  const client = addressOf(queueUrl) === addressOf(url) ? base : chosen(base, yield* clientAt(queueUrl))
  return { ...client, queue: { ...client.queue, submitRequest: identified(client.queue.submitRequest) } }
})

type Submit = Client["queue"]["submitRequest"]

const identified = (submit: Submit): Submit =>
  ((request: Parameters<Submit>[0]) =>
    Effect.suspend(() =>
      submit({ ...request, headers: { "idempotency-key": randomKey(), ...request.headers } })
    )) as Submit

/** 128 random bits. Pages that come by plain http have no `randomUUID`. */
const randomKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-")

/** Each operation at its address. */
const chosen = (base: Client, queue: Client): Client =>
  mapped(base, (operations, group) =>
    mapped(operations, (call, operation) => (onQueue.has(String(operation)) ? queue[group][operation] : call))
  )

const mapped = <A extends object>(
  values: A,
  change: <Key extends keyof A>(value: A[Key], key: Key) => A[Key]
): A => {
  const changed = { ...values }
  for (const key of Object.keys(values) as Array<keyof A>) changed[key] = change(values[key], key)
  return changed
}

/** The client as a service: `yield* Inferlog`. */
export class Inferlog extends Context.Service<Inferlog, Client>()("@inferlog/client/effect/Inferlog") {
  /** Needs an `HttpClient`. */
  static readonly layer = (options: Options) => Layer.effect(Inferlog, make(options))
}
