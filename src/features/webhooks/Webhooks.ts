/** What clients do with their webhook deliveries, on every transport (contract, "Webhook management"). */
import { Context, Effect, Layer, Schema } from "effect"
import type * as Page from "#projections/Page.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { SqlError } from "effect/sql/SqlError"
import { RecoveryId } from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { Delivery, State } from "#domain/webhook-delivery/State.ts"
import type { Failed, Filter, PageKey } from "#projections/deliveries/DeliveryFilter.ts"
import { Deliveries, type DeliveryPage } from "#projections/deliveries/Deliveries.ts"
import { Projections } from "#projections/Projections.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as NamedRequest from "#src/features/requests/NamedRequest.ts"
import { type RequestForbidden, Requests } from "#src/features/requests/Requests.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { IdGenerator } from "#streams/IdGenerator.ts"
import type { BlobStoreError } from "#streams/BlobStore.ts"
import * as AttemptExchange from "./AttemptExchange.ts"
import { DeliveryActors } from "./DeliveryActors.ts"
import * as DeliverySnapshot from "./DeliverySnapshot.ts"
import { RecoveryActors } from "./RecoveryActors.ts"
import type { SecretsUnreadable } from "./SigningSecrets.ts"

/** No such delivery, or a malformed id. */
export class DeliveryNotFound extends Schema.TaggedError<DeliveryNotFound>()("DeliveryNotFound", {}) {}

/** The delivery belongs to another account. */
export class DeliveryForbidden extends Schema.TaggedError<DeliveryForbidden>()("DeliveryForbidden", {}) {}

/** The delivery is being sent. */
export class DeliveryInProgress extends Schema.TaggedError<DeliveryInProgress>()("DeliveryInProgress", {}) {}

/** The body was erased. */
export class BodyErased extends Schema.TaggedError<BodyErased>()("BodyErased", {}) {}

/** One delivery, by the id that a client gave. */
export interface Named {
  readonly caller: Caller
  readonly id: string
}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** A page of the caller's deliveries, newest first. Shows the log as of the call, or fails after 2 s. */
    list(
      options: Omit<Filter, "accountId"> & Page.PageRequest<PageKey> & { readonly caller: Caller }
    ): Effect.Effect<DeliveryPage, RequestForbidden | ReadModelBehind | EventStoreError | SqlError>
    get(
      options: Named
    ): Effect.Effect<
      DeliverySnapshot.DeliverySnapshot,
      DeliveryNotFound | DeliveryForbidden | EventStoreError
    >
    /** Attempt `number`, from 1, as it was sent and answered. */
    attempt(
      options: Named & { readonly number: number }
    ): Effect.Effect<
      AttemptExchange.AttemptExchange,
      | DeliveryNotFound
      | DeliveryForbidden
      | RequestForbidden
      | SecretsUnreadable
      | BlobStoreError
      | EventStoreError
    >
    /** Sends it again, with new attempts. No effect while it waits to be sent. */
    replay(
      options: Named
    ): Effect.Effect<
      DeliverySnapshot.DeliverySnapshot,
      DeliveryNotFound | DeliveryForbidden | DeliveryInProgress | BodyErased | EventStoreError
    >
    /**
     * Sends the failed deliveries created in `since` ≤ t < `until` (Unix ms) again. Returns how many. With `isPreview` it
     * only counts them, as of the call, or fails after 2 s.
     */
    recover(
      options: Omit<Failed, "accountId"> & { readonly caller: Caller; readonly isPreview?: boolean }
    ): Effect.Effect<number, ReadModelBehind | EventStoreError | SqlError>
  }
>()("inferlog/src/features/webhooks/Webhooks") {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const actors = yield* DeliveryActors
      const recoveries = yield* RecoveryActors
      const deliveries = yield* Deliveries
      const requests = yield* Requests
      const projections = yield* Projections
      const ids = yield* IdGenerator
      const steady = yield* SteadyTime
      const exchangeOf = yield* AttemptExchange.make

      /** Whether the lists have what was on the log when this began. */
      const isCurrent = projections.caughtUp("deliveries")

      const judge = (
        caller: Caller,
        state: State
      ): Effect.Effect<Delivery, DeliveryNotFound | DeliveryForbidden> => {
        if (state._tag === "NotScheduled") return Effect.fail(new DeliveryNotFound())
        return state.scheduled.accountId === caller.accountId
          ? Effect.succeed(state)
          : Effect.fail(new DeliveryForbidden())
      }

      /** As of the log, because another node may be sending it. */
      const find = ({ caller, id }: Named) =>
        isDeliveryId(id)
          ? Effect.map(
              Effect.flatMap(actors.refresh(id), ({ state }) => judge(caller, state)),
              (delivery) => ({ deliveryId: id, delivery })
            )
          : Effect.fail(new DeliveryNotFound())

      const get: Webhooks["Service"]["get"] = Effect.fn("Webhooks.get")(function* (options) {
        const { delivery, deliveryId } = yield* find(options)
        return DeliverySnapshot.of(deliveryId, delivery)
      })

      const attempt: Webhooks["Service"]["attempt"] = Effect.fn("Webhooks.attempt")(function* (options) {
        const { delivery, deliveryId } = yield* find(options)
        yield* NamedRequest.check(requests, options.caller, delivery.scheduled.requestId)
        return (yield* exchangeOf(deliveryId, delivery, options.number)) ?? (yield* new DeliveryNotFound())
      })

      const list: Webhooks["Service"]["list"] = Effect.fn("Webhooks.list")(function* ({ caller, ...query }) {
        yield* NamedRequest.check(requests, caller, query.requestId)
        yield* projections.current("deliveries")
        return yield* deliveries.list({ ...query, accountId: caller.accountId })
      })

      const replay: Webhooks["Service"]["replay"] = Effect.fn("Webhooks.replay")(function* (options) {
        const { deliveryId } = yield* find(options)
        const at = yield* steady.now
        const { state } = yield* actors.execute(deliveryId, { _tag: "Replay", at }).pipe(
          Effect.catchTag("DeliveryInProgress", () => new DeliveryInProgress()),
          Effect.catchTag("BodyErased", () => new BodyErased()),
          Effect.catchTag(["DeliveryNotFound", "AttemptNotDue"], Effect.die)
        )
        return DeliverySnapshot.of(deliveryId, yield* judge(options.caller, state))
      })

      const recover: Webhooks["Service"]["recover"] = Effect.fn("Webhooks.recover")(function* ({
        caller: { accountId },
        isPreview = false,
        ...time
      }) {
        if (isPreview) {
          yield* projections.current("deliveries")
          return yield* deliveries.countFailed({ accountId, ...time })
        }
        const wasCurrent = yield* isCurrent
        const count = yield* deliveries.countFailed({ accountId, ...time })
        // A lagging list may count too few; the recovery finds all.
        if (count > 0 || !wasCurrent) {
          const recovery = { at: yield* steady.now, accountId, ...time }
          yield* recoveries
            .create(RecoveryId.make(ids.next()), { _tag: "Request", recovery })
            .pipe(Effect.catchTag("RecoveryNotFound", Effect.die))
        }
        return count
      })

      return Webhooks.of({ list, get, attempt, replay, recover })
    })
  )
}

const isDeliveryId = Schema.is(DeliveryId)
