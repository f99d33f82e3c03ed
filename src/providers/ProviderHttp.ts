/**
 * Calls to providers. Where they go is the operator's word (a binding's `url`), so private addresses are fine; what a provider
 * answers is not trusted: no redirects, a bounded body, a deadline over all of a call, and no URL that it names is called
 * with a credential unless it is of the binding's own origin.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: Json
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

/** No answer was had: what became of the call is not known. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  reason: Schema.Literals([
    "connection_refused",
    "connection_lost",
    "timeout",
    "too_large",
    "tls_error",
    "dns_error"
  ])
}) {}

export class ProviderHttp extends Context.Service<
  ProviderHttp,
  {
    /** Any status is an answer. Interruption ends the call. */
    call(call: Call): Effect.Effect<ProviderAnswer, NoAnswer>
    /** What the binding's `secretEnv` names, from the environment; `null` when it names none or the variable is not set. */
    secret(binding: ProviderBinding): Effect.Effect<Redacted.Redacted | null>
  }
>()("inferlog/src/providers/ProviderHttp") {}
