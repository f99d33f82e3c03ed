/** What clients do with inference requests, on every transport. */
import { Context, type Effect, Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import type { RequestId } from "#domain/Ids.ts"
import type { Webhook } from "#domain/inference-request/Event.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { VisibleRequest } from "#domain/inference-request/VisibleRequest.ts"
import { NanoUsd } from "#domain/Money.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import type { Version } from "#streams/ExpectedVersion.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import type { EvaluatorBusy } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import type { PayloadUnavailable, Unreadable } from "#streams/Payload.ts"
import type { PayloadText } from "#streams/PayloadText.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { InputIssue } from "#src/features/catalog/models/Catalog.ts"

export class ModelNotFound extends Schema.TaggedError<ModelNotFound>()("ModelNotFound", {}) {}

/** The key's grant does not include the model (`grant.modelEndpoints`). */
export class ModelNotGranted extends Schema.TaggedError<ModelNotGranted>()("ModelNotGranted", {}) {}

/** The input breaks the model's schema; `issues` as in the contract's error envelope. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  issues: Schema.Array(
    Schema.Struct({
      path: Schema.Array(Schema.Union([Schema.String, Schema.Number])),
      message: Schema.String,
      code: Schema.String
    })
  )
}) {}

/** Another request was submitted under this `Idempotency-Key`. */
export class IdempotencyKeyReused extends Schema.TaggedError<IdempotencyKeyReused>()(
  "IdempotencyKeyReused",
  {}
) {}

/** The model's queue is full (`maxQueued`). */
export class QueueFull extends Schema.TaggedError<QueueFull>()("QueueFull", {
  /** The most requests of the model that may wait. */
  limit: Schema.Int,
  /** Whether all providers of the model refuse for now (429). `retryAfterSeconds` is then theirs. */
  isUpstream: Schema.Boolean,
  retryAfterSeconds: Schema.Int
}) {}

/** The hold exceeds the available balance. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  /** The hold. */
  required: NanoUsd,
  /** The account's balance minus its holds; its credit limit is added to this. */
  available: NanoUsd
}) {}

/** The hold exceeds the key's remaining budget of the month. Amounts are nano-USD. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** Of a calendar month (UTC). */
  limit: NanoUsd,
  /** The key's charges in this month, and its open holds. */
  spent: NanoUsd,
  /** The hold. */
  required: NanoUsd,
  /** When the next month begins, Unix time in ms. */
  resetsAt: Schema.Int
}) {}

/** The account has reached its limit of open requests (`maxOpenRequests`). */
export class TooManyOpenRequests extends Schema.TaggedError<TooManyOpenRequests>()("TooManyOpenRequests", {
  /** The most open requests of the account. */
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {}

export class RequestNotFound extends Schema.TaggedError<RequestNotFound>()("RequestNotFound", {}) {}

/** The request belongs to another account or to a model that the key is not granted, or the token does not open it. */
export class RequestForbidden extends Schema.TaggedError<RequestForbidden>()("RequestForbidden", {}) {}

/** Why a submit is refused although it is valid: the queue, the balance or a limit. */
export type Unaffordable =
  | QueueFull
  | InsufficientBalance
  | BudgetExceeded
  | TooManyOpenRequests
  | ReadModelBehind

/** Why a submit is refused. */
export type SubmitRefused =
  | ModelNotGranted
  | ModelNotFound
  | InvalidInput
  | IdempotencyKeyReused
  | Unaffordable
  | EvaluatorBusy

export type StorageError = EventStoreError | BlobStoreError

/** Which payloads of a request to read; all by default. */
export interface WantedPayloads {
  /** `false`: the payload is not read, and is `null`. */
  readonly input: boolean
}

/** Stored input and output; `null` for one that does not exist yet or any more. */
export interface PayloadTexts {
  readonly input: PayloadText<Unreadable> | null
  readonly output: PayloadText<Unreadable> | null
}

/** The client's deadlines (decisions, "Deadlines"), ms from the submit; `null`: none. */
export interface RelativeDeadlines {
  /** By when it must have started. */
  readonly startTimeoutMs: number | null
  /** By when it must have ended. */
  readonly cancelAfterMs: number | null
}

export interface Idempotency {
  readonly key: string
  /** Equal for equal requests. */
  readonly requestHash: string
  /** Whether a hash that an earlier release stored is this request's, too. */
  readonly isFormerHash?: (hash: string) => boolean
}

/** An input that was parsed and checked in another thread. */
interface CheckedInput {
  /** The version of the model that it was validated against; `null` when the model was unknown. */
  readonly modelVersion: string | null
  readonly issues: ReadonlyArray<InputIssue>
  /** As it came. */
  readonly text: string
}

export interface Submission {
  readonly caller: Caller
  /** `{owner}/{name}` */
  readonly endpoint: string
  /** The body without the reserved webhook keys. */
  readonly input: Json
  /** When given, `input` has the small members only. */
  readonly checked?: CheckedInput
  /** About how much memory the values take beside their text, bytes (`JsonScan`); estimated from the text when absent. */
  readonly inputMemory?: number
  readonly metadata: Readonly<Record<string, string>>
  readonly webhook: Webhook | null
  readonly deadlines: RelativeDeadlines
  readonly idempotency: Idempotency | null
}

/** Checks that the caller of a submit adds. */
export interface Checks<out E> {
  /** Runs after the model was found and before the input is validated. */
  readonly first: Effect.Effect<void, E>
  /** Runs after all other checks, because it may be slow. */
  readonly last: Effect.Effect<void, E>
}

/** A request at one version of its stream. */
export interface Snapshot<R extends VisibleRequest = VisibleRequest> {
  readonly id: RequestId
  readonly request: R
  /** Changes with every event of the request. The ETag is derived from it. */
  readonly version: Version
}

export class Requests extends Context.Service<
  Requests,
  {
    /**
     * When this returns, the request is durable and its hold is reserved. `replayed`: the answer to an earlier submit under the
     * same key. A replay repeats no check whose result may have changed since: neither model and input, nor the caller's checks.
     * A refusal that is known at once is an `Exit`. A submit that waits for nothing but the log is a `Later`.
     */
    submit<E = never>(
      submission: Submission,
      checks?: Checks<E> | null
    ): Effect.Effect<Snapshot<Request> & { readonly replayed: boolean }, E | SubmitRefused | StorageError>
    /** Refuses what `submit` would refuse for any input, before a large body is read. Passes a repeated key. */
    invite(options: {
      readonly caller: Caller
      readonly endpoint: string
      /** The client's idempotency key. */
      readonly key: string | null
    }): Effect.Effect<void, ModelNotFound | Unaffordable | EventStoreError>
    /**
     * `endpoint`, when given, must be the request's model; else `RequestNotFound`. While the log cannot be read, a request that
     * is not in memory comes from the history, without payloads. The result for a request in memory is an `Exit`.
     */
    get(options: {
      readonly caller: Caller
      readonly id: RequestId
      readonly endpoint?: string
    }): Effect.Effect<Snapshot, RequestNotFound | RequestForbidden | EventStoreError>
    /** The first snapshot for which `until` is true, or the newest one after `timeoutMs`. */
    waitUntil(
      snapshot: Snapshot,
      until: (snapshot: Snapshot) => boolean,
      timeoutMs: number
    ): Effect.Effect<Snapshot, EventStoreError>
    /** Cancels a waiting request, asks the provider to stop a running one, and waits a moment for it to stop. */
    cancel(options: {
      readonly caller: Caller
      readonly id: RequestId
      readonly endpoint: string
    }): Effect.Effect<
      Snapshot & { readonly cancel: { readonly accepted: boolean; readonly reason: string } },
      RequestNotFound | RequestForbidden | EventStoreError
    >
    /** Input and output as JSON, `null` for a missing one. Fails with `EventStoreError` for a snapshot of the history. */
    payloads(
      snapshot: Snapshot,
      wanted?: WantedPayloads
    ): Effect.Effect<{ readonly input: Json; readonly output: Json }, PayloadUnavailable | StorageError>
    /**
     * The same as texts, for answers that copy them. A large text is read while it is sent. The result for texts in memory is
     * an `Exit`.
     */
    payloadTexts(
      snapshot: Snapshot,
      wanted?: WantedPayloads
    ): Effect.Effect<PayloadTexts, PayloadUnavailable | StorageError>
  }
>()("inferlog/src/features/requests/Requests") {}
