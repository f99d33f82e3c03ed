/** The port to whatever runs models: worker threads here, a GPU box, an upstream API. One folder an adapter. */
import type { Effect, Stream } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { Model } from "#domain/catalog/Model.ts"
import type { Adapter, ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import type { ConnectionError, ProviderOutcome } from "#domain/Outcome.ts"

export interface Job {
  readonly requestId: RequestId
  readonly accountId: AccountId
  /** Unix time in ms. */
  readonly submittedAt: number
  readonly model: Model
  /** The one of the model's bindings that this run was dispatched to. */
  readonly binding: ProviderBinding
  /** What the provider is to be given: valid under the model's input schema, and mapped as the binding says. */
  readonly input: Json
  /** Number of the run, from 1. */
  readonly attempt: number
}

/** How a running job is followed and steered. Reports never fail and never block for long. */
export interface RunControl {
  /** The provider outlives our process and calls the job this; after a restart `reattach` gets it. Durable when it returns. */
  accepted(jobId: string): Effect.Effect<void>
  /** The model has begun to run. */
  readonly started: Effect.Effect<void>
  /**
   * How long `started` may be held back to see whether the provider refuses a call that it has got, ms: less where the
   * request has to start by a time.
   */
  readonly startWithinMs: Effect.Effect<number>
  /** `fraction` 0..1 or `null` when unknown; `logs` are new lines. Reports may be sampled. */
  progress(report: {
    readonly fraction: number | null
    readonly logs: ReadonlyArray<string>
  }): Effect.Effect<void>
  /**
   * Completes when the client asks to cancel, and when the run has taken longer than its model may. A provider that can stop
   * does so and ends in `Stopped`; one that finishes first ends in what it has.
   */
  readonly stopRequested: Effect.Effect<void>
}

/** What a provider says of a job that takes longer than is usual. */
export type JobState =
  /** It is at work on it, or will be. */
  | { readonly _tag: "Alive" }
  /** It has ended, in what `run` would have ended in. */
  | { readonly _tag: "Finished"; readonly outcome: ProviderOutcome }
  /** It does not know the job, or has lost it. */
  | { readonly _tag: "Unknown" }

export interface Provider {
  /** What a binding's `adapter` field names. */
  readonly adapter: Adapter
  /**
   * Runs the job to its one outcome. Defects are caught by the caller and count as retryable provider errors.
   * Interruption means that this node is going down, or that a run past its limit was asked to stop and has not in 5 s: free
   * what was taken here, and leave a job that the provider has under an id of its own to it.
   */
  run(job: Job, control: RunControl): Effect.Effect<ProviderOutcome>
  /** Follows a job that a former process started; `Lost` when the provider does not know it. */
  reattach(job: Job, jobId: string, control: RunControl): Effect.Effect<ProviderOutcome>
  /**
   * Looks how a job is doing, and changes nothing about it. The caller waits for 10 s; a defect, as an answer that takes
   * longer, means that nobody knows for now.
   */
  look(job: Omit<Job, "input">, jobId: string): Effect.Effect<JobState>
  /**
   * Makes a connection to where the binding's runs would go and sends nothing; why that is not possible, or `null`. Ends within
   * seconds. Left out where there is nothing to connect to.
   */
  readonly reach?: (binding: ProviderBinding) => Effect.Effect<ConnectionError | null>
  /** Where it differs from moment to moment how many runs can begin, as with workers that come for them. */
  readonly room?: Room
}

/** Runs that could begin at once on this node, beside those under way. */
interface Room {
  /** `model` is the one that runs: of a wrapper, its base. */
  readonly of: (model: Model, binding: ProviderBinding) => number
  /** Whenever there is more of it than before. */
  readonly changes: Stream.Stream<void>
}
