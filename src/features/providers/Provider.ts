/** The port to everything that runs models: worker threads, a GPU box, an upstream API. Each adapter has a folder. */
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
  /** The binding of the model that this run was dispatched to. */
  readonly binding: ProviderBinding
  /** The input for the provider: valid under the model's input schema, and mapped as the binding says. */
  readonly input: Json
  /** Number of the run, from 1. */
  readonly attempt: number
}

export interface Progress {
  /** 0 to 1, or `null` if unknown. */
  readonly fraction: number | null
  /** New lines. */
  readonly logs: ReadonlyArray<string>
}

/** Reports from a running job, and control over it. Reports never fail and never block for long. */
export interface RunControl {
  /** Records the job's id at the provider, for `reattach` after a restart. Durable when it returns. */
  accepted(jobId: string): Effect.Effect<void>
  /** The model has begun to run. */
  readonly started: Effect.Effect<void>
  /** `started` of a provider without a fiber. */
  start(): void
  /** How long `started` may wait for an early refusal, ms. Shorter if the request has to start by a time. */
  readonly startWithinMs: Effect.Effect<number>
  /** Reports may be sampled. */
  progress(report: Progress): Effect.Effect<void>
  /** `progress` where there is no fiber, such as in a callback. Returns at once. */
  note(report: Progress): void
  /**
   * A part of the output as it is made, for models with `output.stream`, in that form. Returns at once. All chunks of a run that
   * succeeds add up to its output. `scalar`: the JSON text of a chunk that cannot remember it (`JsonText.Spelled`).
   */
  chunk(chunk: Json, scalar?: string | null): void
  /** The provider begins its output again: earlier chunks of this run do not count. */
  restartChunks(): void
  /** Completes when the client cancels or the run exceeds its limit. The provider should then end in `Stopped`. */
  readonly stopRequested: Effect.Effect<void>
  /** Whether `stopRequested` completes within `ms`. A run that only waits for this, and maps it by `Later.map`, needs no fiber. */
  isStoppedWithin(ms: number): Effect.Effect<boolean>
}

/** A provider's answer about a job that takes unusually long. */
export type JobState =
  /** The provider is working on it, or will. */
  | { readonly _tag: "Alive" }
  /** It has ended, in the outcome that `run` would have had. */
  | { readonly _tag: "Finished"; readonly outcome: ProviderOutcome }
  /** The provider does not know the job. */
  | { readonly _tag: "Unknown" }

export interface Provider {
  /** The `adapter` of a binding. */
  readonly adapter: Adapter
  /**
   * Runs the job to its one outcome. It may begin when this is called, and a run that ends at once should return its outcome
   * as an `Exit`. The caller catches defects and counts them as retryable provider errors. An interruption means that this
   * node stops, or that a run past its limit did not stop within 5 s: release local resources, and leave a job with an id
   * of its own to the provider.
   */
  run(job: Job, control: RunControl): Effect.Effect<ProviderOutcome>
  /** Follows a job that a previous process started; `Lost` if the provider does not know it. */
  reattach(job: Job, jobId: string, control: RunControl): Effect.Effect<ProviderOutcome>
  /** Checks on a job without changing it, within 10 s. A defect or a later answer means that its state is unknown. */
  look(job: Omit<Job, "input">, jobId: string): Effect.Effect<JobState>
  /** Connects to the runs' address and sends nothing. Why that failed, or `null`. Absent if there is no address. */
  readonly reach?: (binding: ProviderBinding) => Effect.Effect<ConnectionError | null>
  /** For adapters whose capacity changes all the time, such as pull workers. */
  readonly room?: Room
}

/** Runs that could begin on this node now, beside those under way. */
interface Room {
  /** `model` is the model that runs: the base of a wrapper. */
  readonly of: (model: Model, binding: ProviderBinding) => number
  /** Emits when the capacity grows. */
  readonly changes: Stream.Stream<void>
}
