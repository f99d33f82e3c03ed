/**
 * How one run of a model at a provider ended. Clients see three kinds of failure (decisions, "Failure views"): the provider
 * could not run it, the run failed, or the output breaks the model's schema.
 */
import type { Json } from "./CanonicalJson.ts"
import type { MediaPlan } from "./inference-request/Event.ts"
import type { Quantity } from "./Money.ts"
import type { PayloadRef } from "./PayloadRef.ts"
import type { UpstreamError } from "./UpstreamError.ts"

/** Why no connection to a provider could be made. */
export type ConnectionError = "connection_refused" | "connect_timeout" | "dns_error" | "tls_error"

type Outcome<Output, Delivered = Quantity> =
  /** The run finished. `delivered` is the number of billable units in the output. */
  | {
      readonly _tag: "Succeeded"
      readonly output: Output
      /** The JSON text of an output that is a bare number, text or word. Arrays and objects remember theirs (`JsonText`). */
      readonly text?: string
      readonly delivered: Delivered
      /** How long the model ran, if the provider measures it. */
      readonly seconds?: number
      /** A cancel stopped the run: the output is what it had made by then. */
      readonly cut?: true
    }
  /** The provider ran the model and reports a failure. */
  | { readonly _tag: "ModelFailed"; readonly message: string; readonly upstream?: UpstreamError }
  /** The provider could not run it. `retryable`: a transport error, after which another try may succeed. */
  | {
      readonly _tag: "ProviderError"
      readonly message: string
      readonly retryable: boolean
      /** What its answer says, if it gave one. */
      readonly upstream?: UpstreamError
    }
  /**
   * The provider never received the run, because no connection could be made. This uses up no try and never ends the
   * request.
   */
  | { readonly _tag: "Unreachable"; readonly reason: ConnectionError; readonly message: string }
  /** The provider refuses at the moment. This is not a failure and never ends the request. */
  | { readonly _tag: "RateLimited"; readonly retryAfterMs: number }
  /** The run was lost with the provider's process, or with the node that ran it (`crashed`), or with its worker (`worker`). */
  | { readonly _tag: "Lost"; readonly message: string; readonly crashed?: true; readonly worker?: true }
  /** The provider confirms that it stopped the run. */
  | { readonly _tag: "Stopped" }

/**
 * A provider's report. `delivered` is `null` when the provider does not count units; the model's manifest then says how to
 * count them.
 */
export type ProviderOutcome =
  | Outcome<Json, Quantity | null>
  /** It stopped a run that streams, because the client cancelled it. `output`: what it had made by then. */
  | { readonly _tag: "CutShort"; readonly output: Json }

/** The report converted to the model's output and units. */
export type RunOutcome = Outcome<Json>

/** One breach of the model's output schema. Values are never echoed. */
export interface Violation {
  /** JSON pointer into the output. */
  readonly instancePath: string
  readonly message: string
}

/** The outcome in commands to the aggregate: the output is a payload and was validated against the model's schema. */
export type JudgedOutcome = Outcome<{
  readonly ref: PayloadRef
  readonly violations: ReadonlyArray<Violation>
  /** Files that a valid output names. They must be stored before the request completes. */
  readonly media?: ReadonlyArray<MediaPlan>
}>
