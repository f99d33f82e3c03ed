/** What clients do with inference requests, whatever the transport. */
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

/** The key may submit to other models only (`grant.modelEndpoints`). */
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
  /** Requests of the model that may wait. */
  limit: Schema.Int,
  /** Whether it is because all of the model's providers refuse for now (429); when to come again is then their word. */
  isUpstream: Schema.Boolean,
  retryAfterSeconds: Schema.Int
}) {}

/** The hold is more than what is available. */
export class InsufficientBalance extends Schema.TaggedError<InsufficientBalance>()("InsufficientBalance", {
  /** The hold. */
  required: NanoUsd,
  /** The account's balance less what is held; its credit limit comes on top. */
  available: NanoUsd
}) {}

/** The hold is more than the key may spend until the month is over. Amounts are nano-USD. */
export class BudgetExceeded extends Schema.TaggedError<BudgetExceeded>()("BudgetExceeded", {
  /** Of a calendar month (UTC). */
  limit: NanoUsd,
  /** What was charged for the key's requests in this one, and what is held for those that have not ended. */
  spent: NanoUsd,
  /** The hold. */
  required: NanoUsd,
  /** When the next month begins, Unix time in ms. */
  resetsAt: Schema.Int
}) {}

/** The account has as many requests that have not ended as it may (`maxOpenRequests`). */
export class TooManyOpenRequests extends Schema.TaggedError<TooManyOpenRequests>()("TooManyOpenRequests", {
  /** Requests of the account that may not have ended. */
  limit: Schema.Int,
  retryAfterSeconds: Schema.Int
}) {}

export class RequestNotFound extends Schema.TaggedError<RequestNotFound>()("RequestNotFound", {}) {}

/** The request is another account's, or of a model that the key is not granted. */
export class RequestForbidden extends Schema.TaggedError<RequestForbidden>()("RequestForbidden", {}) {}

/** Why a request has no place: in the queue, or in what may be spent, unless that is not known yet. */
export type Unaffordable =
  | QueueFull
  | InsufficientBalance
  | BudgetExceeded
  | TooManyOpenRequests
  | ReadModelBehind

/** Why a submit is not accepted. */
export type SubmitRefused =
  | ModelNotGranted
  | ModelNotFound
  | InvalidInput
  | IdempotencyKeyReused
  | Unaffordable
  | EvaluatorBusy

export type StorageError = EventStoreError | BlobStoreError

/** What is read of the payloads of a request: all by default. */
export interface WantedPayloads {
  /** `false`: it is not read, and `null`. */
  readonly input: boolean
}

/** Input and output as they are stored, each `null` when not there (yet, or any more). */
export interface PayloadTexts {
  readonly input: PayloadText<Unreadable> | null
  readonly output: PayloadText<Unreadable> | null
}

/** How long the client waits (decisions, "Deadlines"), ms from the submit; each `null`: for ever. */
export interface RelativeDeadlines {
  /** Until it has started. */
  readonly startTimeoutMs: number | null
  /** Until it has ended. */
  readonly cancelAfterMs: number | null
}

export interface Idempotency {
  readonly key: string
  /** The same for the same request, whenever it is sent. */
  readonly requestHash: string
  /** Whether a hash that another release has left on the log is this request's, too. */
  readonly isFormerHash?: (hash: string) => boolean
}

/** An input that was parsed and checked in another thread, of which only this is here. */
interface CheckedInput {
  /** The version of the model that it was held against; `null` when there was none. */
  readonly modelVersion: string | null
  readonly issues: ReadonlyArray<InputIssue>
  /** Its canonical text. */
  readonly text: string
}

export interface Submission {
  readonly caller: Caller
  /** `{owner}/{name}` */
  readonly endpoint: string
  /** The body without the reserved webhook keys. */
  readonly input: Json
  /** When given, `input` has only the members that are small. */
  readonly checked?: CheckedInput
  /** About how much memory its values take beside their text, bytes (`JsonScan`); guessed by the text when not given. */
  readonly inputMemory?: number
  readonly metadata: Readonly<Record<string, string>>
  readonly webhook: Webhook | null
  readonly deadlines: RelativeDeadlines
  readonly idempotency: Idempotency | null
}

/** What the caller of a submit checks itself. */
export interface Checks<out E> {
  /** Between model and input. */
  readonly first: Effect.Effect<void, E>
  /** When all else is checked, for it may take long. */
  readonly last: Effect.Effect<void, E>
}

/** A request as of one version of its stream. */
export interface Snapshot<R extends VisibleRequest = VisibleRequest> {
  readonly id: RequestId
  readonly request: R
  /** Changes with every event of the request: the basis of the ETag. */
  readonly version: Version
}

export class Requests extends Context.Service<
  Requests,
  {
    /**
     * Accepted durably when this returns, and its hold taken from what the account has. `replayed`: the answer of an earlier
     * twin under the same key. Once there is one, nothing is checked again that may have changed since: neither model and
     * input, nor what the caller has to check.
     */
    submit<E = never>(
      submission: Submission,
      checks?: Checks<E> | null
    ): Effect.Effect<Snapshot<Request> & { readonly replayed: boolean }, E | SubmitRefused | StorageError>
    /**
     * Refuses what `submit` would refuse whatever the input: for callers who have not looked at it yet, as it is large. Says
     * nothing of a request under a key that has been used.
     */
    invite(options: {
      readonly caller: Caller
      readonly endpoint: string
      /** The client's idempotency key. */
      readonly key: string | null
    }): Effect.Effect<void, ModelNotFound | Unaffordable | EventStoreError>
    /**
     * `endpoint`, when given, must be the request's model: another one's request is `RequestNotFound`. While the log cannot
     * be read, a request that is not in memory is answered from the history, without what that does not know.
     */
    get(options: {
      readonly caller: Caller
      readonly id: RequestId
      readonly endpoint?: string
    }): Effect.Effect<Snapshot, RequestNotFound | RequestForbidden | EventStoreError>
    /** The snapshot once `until` holds of it, or the newest one after `timeoutMs`. */
    waitUntil(
      snapshot: Snapshot,
      until: (snapshot: Snapshot) => boolean,
      timeoutMs: number
    ): Effect.Effect<Snapshot, EventStoreError>
    /** Cancels what waits, asks the provider to stop what runs, and gives that a moment before it answers. */
    cancel(options: {
      readonly caller: Caller
      readonly id: RequestId
      readonly endpoint: string
    }): Effect.Effect<
      Snapshot & { readonly cancel: { readonly accepted: boolean; readonly reason: string } },
      RequestNotFound | RequestForbidden | EventStoreError
    >
    /**
     * Input and output as JSON, each `null` when not there (yet, or any more). `EventStoreError` for a snapshot that does
     * not know what they are.
     */
    payloads(
      snapshot: Snapshot,
      wanted?: WantedPayloads
    ): Effect.Effect<{ readonly input: Json; readonly output: Json }, PayloadUnavailable | StorageError>
    /** The same as texts, for answers that carry them as they are: a large one is read while it is sent. */
    payloadTexts(
      snapshot: Snapshot,
      wanted?: WantedPayloads
    ): Effect.Effect<PayloadTexts, PayloadUnavailable | StorageError>
  }
>()("inferlog/src/features/requests/Requests") {}
