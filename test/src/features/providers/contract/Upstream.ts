/**
 * A server that speaks a provider's public protocol as its documentation says: a state machine of jobs, with faults. One for
 * each adapter, in `test/support/upstreams/`, written from the documentation and not from the adapter.
 */
import type { Effect } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"

/** What the server does with one job. It waits for no time of its own: what is to take long waits for `release`. */
export type Behaviour =
  /** Ends well as soon as it may. `held`: not before `release`. */
  | { readonly _tag: "Succeeds"; readonly held?: boolean }
  /** The model ran, and reports that the run has failed. */
  | { readonly _tag: "Fails"; readonly message: string }
  /** Not taken: a status such as 400, 401, 404, 500, 503. */
  | { readonly _tag: "Refuses"; readonly status: number }
  /** 429, with `Retry-After` when given. */
  | { readonly _tag: "RateLimits"; readonly retryAfterSeconds?: number }
  /** Closes the connection without an answer, as a process that dies does. */
  | { readonly _tag: "Resets" }
  /** Takes the job and then forgets it: a process that died in the middle and was started again. */
  | { readonly _tag: "Forgets" }
  /** Answers what is no answer of the protocol: no JSON, or other members. */
  | { readonly _tag: "Babbles" }

export interface UpstreamJob {
  /** What the protocol calls it, when it gives it a name. */
  readonly id: string | null
  /** What the model was given, unwrapped from the protocol's envelope. */
  readonly input: Json
  /** Credential that came with it, without the scheme; `null` when there was none. */
  readonly credential: string | null
  readonly state: "queued" | "running" | "succeeded" | "failed" | "cancelled"
}

export interface Upstream {
  /** For a model's binding; `secretEnv` names a variable that holds `secret`. */
  readonly binding: Omit<ProviderBinding, "name">
  readonly secret: string
  /** An input of the adapter, and the output that the server gives for it when it succeeds. */
  readonly example: { readonly input: Json; readonly output: Json }
  /** What the next jobs meet, in this order; `Succeeds` when none is left. */
  readonly plan: (...behaviours: ReadonlyArray<Behaviour>) => Effect.Effect<void>
  /** Lets every held job go on. */
  readonly release: Effect.Effect<void>
  /** Each job that was taken, in order. */
  readonly jobs: Effect.Effect<ReadonlyArray<UpstreamJob>>
  /** Completes when `count` jobs have been taken. */
  readonly taken: (count: number) => Effect.Effect<void>
  /** What the protocol has: the contract test asks for no more. */
  readonly has: {
    readonly jobIds: boolean
    readonly cancel: boolean
    readonly logs: boolean
    readonly retryAfter: boolean
    /** `false` when an outcome is told by callback alone and cannot be asked for. */
    readonly answersLater?: false
  }
}
