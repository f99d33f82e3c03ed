/** The work on deliveries. Waiting work is rows and not fibers, so a million waiting deliveries use no memory. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { RecoveryId } from "#domain/delivery-recovery/DeliveryRecovery.ts"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { fromEach, roundRobin } from "../due-work/Fairness.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./DueDeliveryQueries.ts"

/** An event to be sent to the webhook of a request, without a scheduled delivery yet. */
export const OwedDelivery = Schema.Struct({ requestId: RequestId, event: WebhookEventName })
export type OwedDelivery = typeof OwedDelivery.Type

/** A delivery whose next attempt is due. */
export const DueDelivery = Schema.Struct({
  deliveryId: DeliveryId,
  accountId: AccountId,
  requestId: RequestId,
  /** Scheme, host and port of its URL. They identify the receiver. */
  origin: Schema.String,
  /** Unix time in ms, like all times here. */
  dueAt: Schema.Int
})
export type DueDelivery = typeof DueDelivery.Type

/** A delivery that a node is sending. */
export const UnderWay = Schema.Struct({
  deliveryId: DeliveryId,
  requestId: RequestId,
  attempt: Schema.Int,
  node: Schema.String
})
export type UnderWay = typeof UnderWay.Type

export const OpenRecovery = Schema.Struct({
  recoveryId: RecoveryId,
  accountId: AccountId,
  since: Schema.Int,
  until: Schema.Int,
  requestedAt: Schema.Int
})
export type OpenRecovery = typeof OpenRecovery.Type

export class DueDeliveries extends Context.Service<
  DueDeliveries,
  {
    /** Owed deliveries by request id, after `after`, at most `limit`. */
    owed(options: {
      readonly after: OwedDelivery | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<OwedDelivery>, SqlError>
    /**
     * At most `limit` due deliveries, and at most `each` per account and receiver: round robin over accounts, starting after
     * account `after` (pass the last one served), longest due first within an account. Skips what is in `without`. The cost
     * depends on `limit` and `without`, not on the number of waiting deliveries.
     */
    next(options: {
      readonly now: number
      readonly limit: number
      readonly each: number
      readonly after: AccountId | null
      readonly without: Queries.Without
    }): Effect.Effect<ReadonlyArray<DueDelivery>, SqlError>
    /** When the next delivery becomes due after `now`. `null` when none waits. */
    nextDueAt(now: number): Effect.Effect<number | null, SqlError>
    /** Deliveries that are being sent, by id, after `after`, at most `limit`. */
    underWay(options: {
      readonly after: DeliveryId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<UnderWay>, SqlError>
    /** The oldest unfinished recovery of each account, oldest first, at most `limit`. */
    recoveries(limit: number): Effect.Effect<ReadonlyArray<OpenRecovery>, SqlError>
    /** The number of deliveries that wait for an attempt, and the earliest time at which one was or is due. */
    readonly backlog: Effect.Effect<
      { readonly pending: number; readonly oldestDueAt: number | null },
      SqlError
    >
  }
>()("inferlog/projections/DueDeliveries") {
  static readonly layer = Layer.effect(
    DueDeliveries,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const next = Effect.fn("DueDeliveries.next")(function* ({
        after,
        limit,
        ...due
      }: Parameters<DueDeliveries["Service"]["next"]>[0]) {
        const found = yield* accountIds(Queries.dueAccounts(sql, due, { after: after ?? "", limit }))
        const accounts = found.map(({ accountId }) => accountId)
        const candidates = yield* fromEach(
          (most) => dueDeliveries(Queries.longestDueOf(sql, due, accounts, most)),
          { accounts: accounts.length, limit }
        )
        return roundRobin(candidates, after, ({ deliveryId }) => deliveryId).slice(0, limit)
      })

      const backlog = Effect.map(backlogs(Queries.backlog(sql)), ([row]) => row ?? empty).pipe(
        Effect.withSpan("DueDeliveries.backlog")
      )

      return DueDeliveries.of({
        next,
        backlog,
        owed: Effect.fn("DueDeliveries.owed")((options) => owedDeliveries(Queries.owed(sql, options))),
        nextDueAt: Effect.fn("DueDeliveries.nextDueAt")((now) =>
          Effect.map(times(Queries.nextDueAt(sql, now)), ([row]) => row?.dueAt ?? null)
        ),
        underWay: Effect.fn("DueDeliveries.underWay")((options) =>
          attemptsUnderWay(Queries.underWay(sql, options))
        ),
        recoveries: Effect.fn("DueDeliveries.recoveries")((limit) =>
          openRecoveries(Queries.recoveries(sql, limit))
        )
      })
    })
  )
}

const owedDeliveries = rows(OwedDelivery)
const dueDeliveries = rows(DueDelivery)
const attemptsUnderWay = rows(UnderWay)
const openRecoveries = rows(OpenRecovery)
const accountIds = rows(Schema.Struct({ accountId: AccountId }))
const times = rows(Schema.Struct({ dueAt: Schema.NullOr(Schema.Int) }))
const backlogs = rows(Schema.Struct({ pending: Schema.Int, oldestDueAt: Schema.NullOr(Schema.Int) }))
const empty = { pending: 0, oldestDueAt: null }
