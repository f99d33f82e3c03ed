/** What accounts have, and the entries that led to it (decisions, "Platform routes"). Amounts are nano-USD. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, zero } from "#domain/Money.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { Columns } from "../batch/Columns.ts"
import { ReadModels, rows } from "../ReadModels.ts"
import * as Queries from "./LedgerQueries.ts"
import * as LedgerStanding from "./LedgerStanding.ts"

export interface Balance {
  /** What is reserved included. */
  readonly balance: NanoUsd
  /** Held for requests that have not ended. */
  readonly reserved: NanoUsd
  /** Of the last entry, Unix time in ms; `null` when there is none. */
  readonly updatedAt: number | null
}

export const LedgerEntry = Schema.Struct({
  position: GlobalPosition,
  /** Place among the entries of its event, from 0. */
  ordinal: Schema.Int,
  accountId: AccountId,
  /** `null` for a top-up, as the model. */
  requestId: Schema.NullOr(RequestId),
  model: Schema.NullOr(ModelEndpoint),
  kind: Schema.Literals(["topup", "hold", "charge", "release", "revert"]),
  /** Positive. */
  amount: NanoUsd,
  /** The account's, what is reserved included. */
  balanceAfter: NanoUsd,
  /** Unix time in ms. */
  createdAt: Schema.Int
})
export type LedgerEntry = typeof LedgerEntry.Type

export interface LedgerPage {
  /** Entries that the filter lets through, on all pages. */
  readonly total: number
  readonly items: ReadonlyArray<LedgerEntry>
}

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Zero for an account that never had an entry. */
    balance(accountId: AccountId): Effect.Effect<Balance, SqlError>
    /** Of those of the accounts that ever had an entry, in no order. */
    balances(options: {
      readonly accountIds: ReadonlyArray<AccountId>
    }): Effect.Effect<ReadonlyArray<LedgerStanding.AccountBalance>, SqlError>
    /** A page of an account's entries, newest first, `page` from 1. Its total comes from counters. */
    entries(
      options: Queries.Filter & { readonly page: number; readonly limit: number }
    ): Effect.Effect<LedgerPage, SqlError>
    /** Where all accounts stand at one position. */
    readonly standing: Effect.Effect<LedgerStanding.LedgerStanding, SqlError>
  }
>()("inferlog/projections/Ledger") {
  static readonly layer = Layer.effect(
    Ledger,
    Effect.gen(function* () {
      const sql = yield* ReadModels

      const balances = Effect.fn("Ledger.balances")(
        ({ accountIds }: Parameters<Ledger["Service"]["balances"]>[0]) =>
          accountBalances(Queries.balances(sql, accountIds))
      )

      const entries = Effect.fn("Ledger.entries")(function* ({
        page,
        limit,
        ...filter
      }: Parameters<Ledger["Service"]["entries"]>[0]) {
        const [counted] = yield* totals(Queries.total(sql, filter))
        const total = counted?.total ?? 0
        const before = (page - 1) * limit
        if (before >= total) return { total, items: [] }
        return { total, items: yield* ledgerEntries(Queries.pageOf(sql, filter, before, limit)) }
      })

      return Ledger.of({
        balance: Effect.fn("Ledger.balance")((accountId) =>
          Effect.map(accountBalances(Queries.balances(sql, [accountId])), ([found]): Balance => {
            if (found === undefined) return { balance: zero, reserved: zero, updatedAt: null }
            const { balance, reserved, updatedAt } = found
            return { balance, reserved, updatedAt }
          })
        ),
        balances,
        entries,
        standing: Effect.map(sql.unsafe<Columns>(LedgerStanding.statement), LedgerStanding.read).pipe(
          Effect.withSpan("Ledger.standing")
        )
      })
    })
  )
}

const accountBalances = rows(
  Schema.Struct({ accountId: AccountId, balance: NanoUsd, reserved: NanoUsd, updatedAt: Schema.Int })
)
const ledgerEntries = rows(LedgerEntry)
const totals = rows(Schema.Struct({ total: Schema.Int }))
