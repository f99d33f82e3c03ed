/** Queries on the work queue. Waiting work is rows and not fibers, so a million waiting requests use no memory. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./DueWorkQueries.ts"
import { fromEach, roundRobin } from "./Fairness.ts"

export const QueuedRequest = Schema.Struct({
  requestId: RequestId,
  accountId: AccountId,
  model: ModelEndpoint,
  /** Unix time in ms. */
  dueAt: Schema.Int,
  /** Number of the last run. 0 when there was none. */
  attempt: Schema.Int,
  /** The provider at which the last run failed. `null` when it did not fail. */
  failedAt: Schema.NullOr(Schema.String),
  /** The number of crashes in a row during its runs. */
  crashes: Schema.Int
})
export type QueuedRequest = typeof QueuedRequest.Type

/** A run that a node has claimed and that has not ended. */
export const Claim = Schema.Struct({
  requestId: RequestId,
  accountId: AccountId,
  model: ModelEndpoint,
  attempt: Schema.Int,
  provider: Schema.String,
  node: Schema.String,
  jobId: Schema.NullOr(Schema.String),
  cancelRequested: Schema.BooleanFromBit
})
export type Claim = typeof Claim.Type

/** A request whose deadline has passed, and the deadline. Pass it as `after` to continue behind it. */
export const PassedDeadline = Schema.Struct({ requestId: RequestId, at: Schema.Int })
export type PassedDeadline = typeof PassedDeadline.Type

/** A request that waits for a run, and since when it is due. Pass it as `after` to continue behind it. */
export const DueSince = PassedDeadline
export type DueSince = PassedDeadline

/** A claim, and the time at which it became due. */
export const DueClaim = Schema.Struct({ ...Claim.fields, at: Schema.Int })
export type DueClaim = typeof DueClaim.Type

const queued = rows(QueuedRequest)
const claimed = rows(Claim)
const passedDeadlines = rows(PassedDeadline)
const dueClaims = rows(DueClaim)
const requestIds = rows(Schema.Struct({ requestId: RequestId }))
const accountIds = rows(Schema.Struct({ accountId: AccountId }))
const models = rows(Schema.Struct({ model: ModelEndpoint }))
const times = rows(Schema.Struct({ dueAt: Schema.NullOr(Schema.Int) }))
const counts = rows(Schema.Struct({ queued: Schema.Int }))

const idOf = ({ requestId }: QueuedRequest) => requestId

/** Sorts after every account id. */
const last = "\u{10ffff}"

export class DueWork extends Context.Service<
  DueWork,
  {
    /**
     * At most `limit` due requests of `model`: round robin over accounts, starting after account `after` (pass the last one
     * served), oldest first within an account. The cost depends on `limit`, not on the queue.
     */
    next(options: {
      readonly model: ModelEndpoint
      /** Unix time in ms, like `now` everywhere here. */
      readonly now: number
      readonly limit: number
      readonly after: AccountId | null
    }): Effect.Effect<ReadonlyArray<QueuedRequest>, SqlError>
    /** Models with due requests. */
    dueModels(now: number): Effect.Effect<ReadonlyArray<ModelEndpoint>, SqlError>
    /** When the next request becomes due after `now`. `null` when none waits. */
    nextDueAt(now: number): Effect.Effect<number | null, SqlError>
    /** Claimed runs by request id, after `after`, at most `limit`. */
    claims(options: {
      readonly after: RequestId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<Claim>, SqlError>
    /** Runs of `node` that a client has cancelled, at most `limit`. */
    cancelRequested(options: {
      readonly node: string
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<Claim>, SqlError>
    /** Queued requests of `model` that became due at or before `now`, longest due first. */
    waiting(
      page: Queries.DuePage & { readonly model: ModelEndpoint }
    ): Effect.Effect<ReadonlyArray<DueSince>, SqlError>
    /** Requests whose deadline has passed at `now`, earliest deadline first. */
    deadlines(page: Queries.DuePage): Effect.Effect<ReadonlyArray<PassedDeadline>, SqlError>
    /** The first deadline after `after`. `null` when there is none. */
    nextDeadlineAt(after: number): Effect.Effect<number | null, SqlError>
    /** Claimed runs that are overdue at `now`, longest overdue first. */
    overdue(page: Queries.DuePage): Effect.Effect<ReadonlyArray<DueClaim>, SqlError>
    /** Requests whose files are due to be stored at `now`, longest due first. `node` had the run. */
    finalizing(page: Queries.DuePage): Effect.Effect<ReadonlyArray<DueClaim>, SqlError>
    /**
     * Requests with enough sweep retries to be failed (`SweepSchedule`) whose ids were made before `createdBefore`; by id,
     * after `after`, at most `limit`.
     */
    forceFailable(options: {
      readonly createdBefore: number
      readonly after: RequestId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<RequestId>, SqlError>
    /** The number of requests of `model` that wait for a run, due or not. */
    depth(model: ModelEndpoint): Effect.Effect<number, SqlError>
  }
>()("inferlog/projections/DueWork") {
  static readonly layer = Layer.effect(
    DueWork,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      /** Accounts with due requests, starting after `after` and wrapping around. */
      const dueAccounts = Effect.fnUntraced(function* (due: Queries.Due, limit: number, after: string) {
        const later = yield* accountIds(Queries.dueAccounts(sql, due, { above: after, upTo: last, limit }))
        const left = limit - later.length
        const wrapped = yield* accountIds(
          Queries.dueAccounts(sql, due, { above: "", upTo: after, limit: left })
        )
        return [...later, ...wrapped].map(({ accountId }) => accountId)
      })

      const next = Effect.fn("DueWork.next")(function* ({
        model,
        now,
        limit,
        after
      }: Parameters<DueWork["Service"]["next"]>[0]) {
        const due = { model, now }
        const oldest = yield* queued(Queries.oldest(sql, due, limit + 1))
        if (oldest.length <= limit) return roundRobin(oldest, after, idOf)
        const accounts = yield* dueAccounts(due, limit, after ?? "")
        const found = yield* fromEach((each) => queued(Queries.oldestOf(sql, due, accounts, each)), {
          accounts: accounts.length,
          limit
        })
        const fair = roundRobin(found, after, idOf).slice(0, limit)
        // The rest matters only if accounts without due requests used up the search limit.
        const chosen = new Set(fair.map(({ requestId }) => requestId))
        const others = oldest.filter(({ requestId }) => !chosen.has(requestId))
        return [...fair, ...others].slice(0, limit)
      })

      return DueWork.of({
        next,
        dueModels: Effect.fn("DueWork.dueModels")((now) =>
          Effect.map(models(Queries.dueModels(sql, now)), (found) => found.map(({ model }) => model))
        ),
        nextDueAt: Effect.fn("DueWork.nextDueAt")((now) =>
          Effect.map(times(Queries.nextDueAt(sql, now)), ([row]) => row?.dueAt ?? null)
        ),
        claims: Effect.fn("DueWork.claims")((options) => claimed(Queries.claims(sql, options))),
        cancelRequested: Effect.fn("DueWork.cancelRequested")((options) =>
          claimed(Queries.cancelRequested(sql, options))
        ),
        waiting: Effect.fn("DueWork.waiting")((page) => passedDeadlines(Queries.waiting(sql, page))),
        deadlines: Effect.fn("DueWork.deadlines")((page) => passedDeadlines(Queries.deadlines(sql, page))),
        nextDeadlineAt: Effect.fn("DueWork.nextDeadlineAt")((after) =>
          Effect.map(times(Queries.nextDeadlineAt(sql, after)), ([row]) => row?.dueAt ?? null)
        ),
        overdue: Effect.fn("DueWork.overdue")((page) => dueClaims(Queries.overdue(sql, page))),
        finalizing: Effect.fn("DueWork.finalizing")((page) => dueClaims(Queries.finalizing(sql, page))),
        forceFailable: Effect.fn("DueWork.forceFailable")((options) =>
          Effect.map(requestIds(Queries.forceFailable(sql, options)), (found) =>
            found.map(({ requestId }) => requestId)
          )
        ),
        depth: Effect.fn("DueWork.depth")((model) =>
          Effect.map(counts(Queries.depth(sql, model)), ([row]) => row?.queued ?? 0)
        )
      })
    })
  )
}
