/** Requests whose payloads are to be erased, and erasures that are not finished. Pages have a fixed order. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, firstTimeOrdered, RequestId } from "#domain/Ids.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./RetentionQueries.ts"
import { PageKey } from "./PageKey.ts"

/** Times are Unix time in ms. */
export const ErasedAccount = Schema.Struct({ accountId: AccountId, erasedAt: Schema.Int })
export type ErasedAccount = typeof ErasedAccount.Type

export const AccountRequest = Schema.Struct({
  ...PageKey.fields,
  requestId: RequestId,
  /** Whether the request has ended and is not erased. */
  isErasable: Schema.BooleanFromBit
})
export type AccountRequest = typeof AccountRequest.Type

export class Retention extends Context.Service<
  Retention,
  {
    /** Ended requests that are not erased and whose ids were made before `createdBefore`; after `after`. */
    expired(options: {
      /** Unix time in ms. */
      readonly createdBefore: number
      readonly after: RequestId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<RequestId>, SqlError>
    /** Erased requests that may have data left outside the log, after `after`. */
    removals(options: {
      readonly after: RequestId | null
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<RequestId>, SqlError>
    /** Accounts whose erasure is not finished. */
    readonly accounts: Effect.Effect<ReadonlyArray<ErasedAccount>, SqlError>
    /** Requests of an account with the status of `after`, after it. Also reads the history. */
    ofAccount(options: {
      readonly accountId: AccountId
      readonly after: PageKey
      readonly limit: number
    }): Effect.Effect<ReadonlyArray<AccountRequest>, SqlError>
  }
>()("inferlog/projections/Retention") {
  static readonly layer = Layer.effect(
    Retention,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      return Retention.of({
        expired: Effect.fn("Retention.expired")(({ after, createdBefore, limit }) =>
          ids(Queries.expired(sql, { after: after ?? "", before: firstTimeOrdered(createdBefore), limit }))
        ),
        removals: Effect.fn("Retention.removals")(({ after, limit }) =>
          ids(Queries.removals(sql, { after: after ?? "", limit }))
        ),
        accounts: erasedAccounts(Queries.accounts(sql)).pipe(Effect.withSpan("Retention.accounts")),
        ofAccount: Effect.fn("Retention.ofAccount")((options) =>
          accountRequests(Queries.ofAccount(sql, options))
        )
      })
    })
  )
}

const requestIds = rows(Schema.Struct({ requestId: RequestId }))
const ids = <E>(statement: Effect.Effect<ReadonlyArray<unknown>, E>) =>
  Effect.map(requestIds(statement), (found) => found.map(({ requestId }) => requestId))
const erasedAccounts = rows(ErasedAccount)
const accountRequests = rows(AccountRequest)
