/**
 * A server with a provider's public protocol, by its documentation: a state machine of jobs with faults. One per
 * adapter, in `test/support/upstreams/`, written from the documentation and not from the adapter.
 */
import type { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"

/** The behaviour of the server for one job. It uses no timers: what must take long waits for `release`. */
export type Behaviour =
  /** Succeeds as soon as possible. `held`: not before `release`. */
  | { readonly _tag: "Succeeds"; readonly held?: boolean }
  /** The model ran, and reports that the run has failed. */
  | { readonly _tag: "Fails"; readonly message: string }
  /** Refused with a status such as 400, 401, 404, 500, 503. */
  | { readonly _tag: "Refuses"; readonly status: number }
  /** 429, with `Retry-After` if given. */
  | { readonly _tag: "RateLimits"; readonly retryAfterSeconds?: number }
  /** Closes the connection without an answer, as a process that dies does. */
  | { readonly _tag: "Resets" }
  /** Accepts the job and then loses it, like a process that crashed and was restarted. */
  | { readonly _tag: "Forgets" }
  /** Returns an invalid answer: not JSON, or with wrong members. */
  | { readonly _tag: "Babbles" }

export interface UpstreamJob {
  /** The protocol's id of the job, if it has one. */
  readonly id: string | null
  /** The model's input, without the protocol's envelope. */
  readonly input: Json
  /** The credential sent with it, without the scheme; `null` without one. */
  readonly credential: string | null
  readonly state: "queued" | "running" | "succeeded" | "failed" | "cancelled"
}

export interface Upstream {
  /** For a model's binding; `secretEnv` names a variable that holds `secret`. */
  readonly binding: Omit<ProviderBinding, "name">
  readonly secret: string
  /** An input of the adapter, and the server's output for it. */
  readonly example: { readonly input: Json; readonly output: Json }
  /** The behaviour for the next jobs, in order; then `Succeeds`. */
  readonly plan: (...behaviours: ReadonlyArray<Behaviour>) => Effect.Effect<void>
  /** Releases all held jobs. */
  readonly release: Effect.Effect<void>
  /** The accepted jobs, in order. */
  readonly jobs: Effect.Effect<ReadonlyArray<UpstreamJob>>
  /** Completes when `count` jobs have been accepted. */
  readonly taken: (count: number) => Effect.Effect<void>
  /** The capabilities of the protocol, which limit the contract test. */
  readonly has: {
    readonly jobIds: boolean
    readonly cancel: boolean
    readonly logs: boolean
    readonly retryAfter: boolean
    /** `false` if an outcome is reported only by callback. */
    readonly answersLater?: false
  }
}
