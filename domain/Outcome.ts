/**
 * How one run of a model at a provider ended. The three failures differ for the client (decisions, "Failure views"):
 * the provider could not run it, it ran and failed, or it ran and its output is not what the model promises.
 */
import type { Json } from "./CanonicalJson.ts"
import type { MediaPlan } from "./inference-request/Event.ts"
import type { Quantity } from "./Money.ts"
import type { PayloadRef } from "./PayloadRef.ts"

/** Why no connection to a provider could be made. */
export type ConnectionFault = "connection_refused" | "connect_timeout" | "dns_error" | "tls_error"

type Outcome<Output, Delivered = Quantity> =
  /** Ran to its end; `delivered` are the billable units of the output. */
  | {
      readonly _tag: "Succeeded"
      readonly output: Output
      readonly delivered: Delivered
      /** How long the model ran, where the provider measures it. */
      readonly seconds?: number
    }
  /** The provider ran it and reports the run as failed. */
  | { readonly _tag: "ModelFailed"; readonly message: string }
  /** The provider could not run it. `retryable`: a transport error, which says nothing about the next try. */
  | { readonly _tag: "ProviderError"; readonly message: string; readonly retryable: boolean }
  /** The provider was never handed the run: no connection to it could be made. No try is used up, and it is never an end. */
  | { readonly _tag: "Unreachable"; readonly reason: ConnectionFault; readonly message: string }
  /** The provider refuses for now; not a failure, and never an end. */
  | { readonly _tag: "RateLimited"; readonly retryAfterMs: number }
  /** The run was lost with the provider's process or, where it `crashed`, with the node that had it in hand. */
  | { readonly _tag: "Lost"; readonly message: string; readonly crashed?: true }
  /** The provider confirms that it stopped. */
  | { readonly _tag: "Stopped" }

/** What a provider reports. `delivered` is `null` where it does not count: then the model's manifest says how. */
export type ProviderOutcome = Outcome<Json, Quantity | null>

/** The same in the terms of the model: its output, and its units. */
export type RunOutcome = Outcome<Json>

/** One breach of the model's output schema. Values are never echoed. */
export interface Violation {
  /** JSON pointer into the output. */
  readonly instancePath: string
  readonly message: string
}

/** What the aggregate is told: the output is a payload by then, and has been held against the model's schema. */
export type JudgedOutcome = Outcome<{
  readonly ref: PayloadRef
  readonly violations: ReadonlyArray<Violation>
  /** Files that a valid output names and that have to be stored before it is settled. */
  readonly media?: ReadonlyArray<MediaPlan>
}>
