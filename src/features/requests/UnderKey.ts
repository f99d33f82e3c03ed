/** Submits under an `Idempotency-Key`: the first one reserves the key and an id, and later ones get its answer. */
import * as crypto from "node:crypto"
import { Effect } from "effect"
import { RequestId } from "#domain/Ids.ts"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type * as Pricing from "#domain/Pricing.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { CatalogEntry } from "#src/features/catalog/models/Catalog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { IdempotencyKeyActors } from "./IdempotencyKeyActors.ts"
import { RequestActors } from "./RequestActors.ts"
import {
  type Checks,
  type Idempotency,
  IdempotencyKeyReused,
  type Snapshot,
  type StorageError,
  type Submission,
  type SubmitRefused,
  type Unaffordable
} from "./Requests.ts"
import * as Snapshots from "./Snapshot.ts"

/** Each token has keys of its own: pages of different people must not get each other's requests. */
export const keyStream = ({ accountId, token }: Caller, key: string): string =>
  IdempotencyKey.streamId(
    accountId,
    crypto.hash("sha256", token === null ? key : `${token.id}\n${key}`, "base64url")
  )

/** What a submit under a key has in common with any other. */
export interface Steps {
  /** The checks that every submit must pass, whatever its id. */
  readonly admit: <E>(
    submission: Submission,
    checks: Checks<E> | null
  ) => Effect.Effect<CatalogEntry, E | SubmitRefused | StorageError>
  readonly quoteOf: (
    submission: Submission,
    entry: CatalogEntry
  ) => Effect.Effect<Pricing.Quote, SubmitRefused | StorageError>
  readonly checkQueue: (entry: CatalogEntry) => Effect.Effect<void, Unaffordable>
  readonly checkHold: (
    submission: Submission,
    quote: Pricing.Quote,
    at: number
  ) => Effect.Effect<void, Unaffordable>
  readonly accept: (
    submission: Submission,
    entry: CatalogEntry,
    quote: Pricing.Quote,
    id: RequestId,
    at: number
  ) => Effect.Effect<Snapshot<Request> & { readonly replayed: boolean }, SubmitRefused | StorageError>
}

export const make = Effect.fnUntraced(function* ({ accept, admit, checkHold, checkQueue, quoteOf }: Steps) {
  const requests = yield* RequestActors
  const keys = yield* IdempotencyKeyActors
  const steady = yield* SteadyTime
  const ids = yield* IdGenerator

  /** The idempotency data with the hash in the form that the first submit under the key stored. */
  const inFormOf = (state: IdempotencyKey.State, idempotency: Idempotency): Idempotency =>
    state._tag === "Reserved" && idempotency.isFormerHash?.(state.requestHash) === true
      ? { ...idempotency, requestHash: state.requestHash }
      : idempotency

  /** The answer to the first submit under the key, if it was accepted. */
  const replay = Effect.fnUntraced(function* (state: IdempotencyKey.State, { requestHash }: Idempotency) {
    const now = yield* steady.now
    if (state._tag === "Free" || state.expiresAt <= now || state.requestHash !== requestHash) return null
    return Snapshots.asSubmitted(state.requestId, yield* requests.current(state.requestId))
  })

  /** Refuses before the key is reserved, which is permanent. A submit under a reserved key may have been accepted. */
  const checkFirst = (
    submission: Submission,
    { key }: Idempotency,
    entry: CatalogEntry,
    quote: Pricing.Quote,
    at: number
  ) => {
    return Effect.catch(
      Effect.flatMap(checkQueue(entry), () => checkHold(submission, quote, at)),
      Effect.fnUntraced(function* (refused: Unaffordable) {
        const { state } = yield* keys.refresh(keyStream(submission.caller, key))
        if (state._tag === "Free" || state.expiresAt <= at) return yield* refused
      })
    )
  }

  /** The id that the first submit under the key reserved. */
  const reserve = Effect.fnUntraced(function* (
    { caller }: Submission,
    { key, requestHash }: Idempotency,
    at: number
  ) {
    const requestId = RequestId.make(ids.next())
    const { state } = yield* keys
      .execute(keyStream(caller, key), { _tag: "Reserve", at, requestId, requestHash })
      .pipe(Effect.catchTag("KeyReused", () => new IdempotencyKeyReused()))
    return state._tag === "Reserved" ? state.requestId : requestId
  })

  return Effect.fnUntraced(function* <E>(
    submission: Submission,
    presented: Idempotency,
    checks: Checks<E> | null
  ) {
    const { state } = yield* keys.current(keyStream(submission.caller, presented.key))
    const idempotency = inFormOf(state, presented)
    const answered = yield* replay(state, idempotency)
    if (answered !== null) return { ...answered, replayed: true }
    const entry = yield* admit(submission, checks)
    const quote = yield* quoteOf(submission, entry)
    const at = yield* steady.now
    yield* checkFirst(submission, idempotency, entry, quote, at)
    if (checks !== null) yield* checks.last
    const id = yield* reserve(submission, idempotency, at)
    // Another submit under the key may have been accepted since.
    const first = Snapshots.asSubmitted(id, yield* requests.current(id))
    if (first !== null) return { ...first, replayed: true }
    return yield* Effect.catchTag(
      accept(submission, entry, quote, id, at),
      ["InsufficientBalance", "BudgetExceeded", "TooManyOpenRequests", "QueueFull"],
      // Another submit under the key may have been accepted since, and has the money or the place that this one needs.
      Effect.fnUntraced(function* (refused) {
        const first = Snapshots.asSubmitted(id, yield* requests.current(id))
        return first === null ? yield* refused : { ...first, replayed: true }
      })
    )
  })
})
