/** oidc-provider over the stored records (`ProviderConfiguration`), as effects. */
import type { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"
import { Context, Effect, Layer, Predicate } from "effect"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { MasterKey } from "#src/kernel/secrets/MasterKey.ts"
import { Logins } from "./Logins.ts"
import * as ProviderCall from "./ProviderCall.ts"
import type * as RecordAdapter from "./RecordAdapter.ts"
import { Records } from "./Records.ts"
import * as RefreshLimits from "./RefreshLimits.ts"

/** Loading takes a third of a second, so it happens after the start. */
const ConfiguredProvider = Effect.promise(() => import("./ConfiguredProvider.ts"))

/** The error for clients while storage is unavailable. */
export const storageAway = {
  error: "temporarily_unavailable",
  description: "The service cannot reach its storage. Try again later.",
  retryAfterSeconds: 5
} as const

const make = Effect.gen(function* () {
  const records = yield* Records
  const logins = yield* Logins
  const master = yield* MasterKey
  const { mcpUrl } = yield* PublicUrls
  const refreshLimits = yield* RefreshLimits.make
  const run: RecordAdapter.Run = Effect.runPromiseWith(yield* Effect.context<never>())

  /** Errors of this server, by request. */
  const failures = new WeakMap<IncomingMessage, unknown>()

  const running = yield* Effect.cached(
    Effect.map(ConfiguredProvider, ({ make: makeProvider }) => {
      const provider = makeProvider({ records, logins, master, mcpUrl, refreshLimits, run })
      provider.on("server_error", ({ req }, error) => void failures.set(req, error))
      const outermost: EventEmitter = provider
      outermost.on("error", (error: unknown, { req }: { readonly req: IncomingMessage }) => {
        failures.set(req, error)
      })
      return { provider, callback: provider.callback() }
    })
  )

  /** The request and response objects that the provider's functions need for a browser's request. */
  const exchange = (call: ProviderCall.Call) => ProviderCall.exchange(mcpUrl, call)

  /**
   * Failed requests return the protocol's own errors. Errors of this server are logged and returned as
   * `server_error`. While storage is unavailable the status is 503 with `Retry-After` and
   * `temporarily_unavailable`, so that clients keep their tokens.
   */
  const answer = Effect.fn("AuthorizationServer.answer")(function* (call: ProviderCall.Call) {
    const { callback } = yield* running
    const { reply, request, response } = exchange(call)
    yield* Effect.promise(() => callback(request, response))
    const failure = failures.get(request)
    if (failure !== undefined) yield* Effect.logError("The authorization server failed", failure)
    return isOfStorage(failure) ? unavailable(reply()) : reply()
  }, Effect.uninterruptible)

  return { answer, provider: Effect.map(running, ({ provider }) => provider), exchange }
})

export class AuthorizationServer extends Context.Service<AuthorizationServer, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/AuthorizationServer"
) {
  static readonly layer = Layer.effect(AuthorizationServer, make)
}

const isOfStorage = (failure: unknown): boolean =>
  Predicate.isTagged(failure, "SqlError") || Predicate.isTagged(failure, "EventStoreError")

/** An error that is sent through the browser needs no other status. */
const unavailable = (reply: ProviderCall.Reply): ProviderCall.Reply => {
  if (reply.status !== 500) return reply
  const isPage = reply.headers["content-type"]?.startsWith("text/html") === true
  const { description, error, retryAfterSeconds } = storageAway
  return {
    ...reply,
    status: 503,
    headers: { ...reply.headers, "retry-after": String(retryAfterSeconds) },
    body: isPage ? reply.body : JSON.stringify({ error, error_description: description })
  }
}
