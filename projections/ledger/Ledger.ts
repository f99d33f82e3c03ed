/** Balances, ledger entries and usage of accounts (decisions, "Platform routes"). Amounts are nano-USD. */
import { Context, Effect, Layer, Schema } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { AccountId, KeyId, RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { NanoUsd, Quantity, zero } from "#domain/Money.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { Columns } from "../batch/Columns.ts"
import * as Page from "../Page.ts"
import { ReadModels, rows, totalOf } from "../ReadModels.ts"
import * as Queries from "./LedgerQueries.ts"
import * as LedgerState from "./LedgerState.ts"

export interface Balance {
  /** Includes `reserved`. */
  readonly balance: NanoUsd
  /** Held for requests that have not ended. */
  readonly reserved: NanoUsd
  /** Time of the last entry, Unix time in ms. `null` when there is none. */
  readonly updatedAt: number | null
}

export const LedgerEntry = Schema.Struct({
  /** Rises with the log. Lists are sorted by it. */
  entryId: Schema.Int,
  position: GlobalPosition,
  /** Position among the entries of its event, from 0. */
  ordinal: Schema.Int,
  accountId: AccountId,
  /** `null` for a top-up, like `model`. */
  requestId: Schema.NullOr(RequestId),
  model: Schema.NullOr(ModelEndpoint),
  kind: Schema.Literals(["topup", "hold", "charge", "release", "revert"]),
  /** Positive. */
  amount: NanoUsd,
  /** The account's balance after the entry, including reserved amounts. */
  balanceAfter: NanoUsd,
  /** Unix time in ms. */
  createdAt: Schema.Int
})
export type LedgerEntry = typeof LedgerEntry.Type

export type LedgerPage = Page.PageWithTotal<LedgerEntry, number>

/** The charges of an hour, a day or a month, by model and unit, of one key or of all. */
export const UsageRow = Schema.Struct({
  /** Start of the hour, day or month, Unix time in ms. */
  bucket: Schema.Int,
  /** `null` for the sum over all keys. */
  keyId: Schema.NullOr(KeyId),
  model: ModelEndpoint,
  unit: BillingUnit,
  requests: Schema.Int,
  quantity: Quantity,
  cost: NanoUsd
})
export type UsageRow = typeof UsageRow.Type

export class Ledger extends Context.Service<
  Ledger,
  {
    /** Zero for an account that never had an entry. */
    balance(accountId: AccountId): Effect.Effect<Balance, SqlError>
    /** The balances of those accounts that ever had an entry, in no order. */
    balances(options: {
      readonly accountIds: ReadonlyArray<AccountId>
    }): Effect.Effect<ReadonlyArray<LedgerState.AccountBalance>, SqlError>
    /**
     * A page of an account's entries, newest first: page number `page` (from 1), or the page after `after`. The total comes
     * from counters.
     */
    entries(options: Queries.Filter & Page.PageRequest<number>): Effect.Effect<LedgerPage, SqlError>
    /** At most `limit` entries of an account in the order of the log, after the entry with the id `after`. */
    walk(options: Queries.Walk): Effect.Effect<ReadonlyArray<LedgerEntry>, SqlError>
    /** The first `limit` rows by bucket, model and unit, or with `byKey` by bucket, key, model and unit. */
    usage(
      options: Queries.UsageFilter & { readonly limit: number }
    ): Effect.Effect<ReadonlyArray<UsageRow>, SqlError>
    /** The state of all accounts at one position. */
    readonly state: Effect.Effect<LedgerState.LedgerState, SqlError>
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

      const entries = Effect.fn("Ledger.entries")(function* (
        options: Parameters<Ledger["Service"]["entries"]>[0]
      ) {
        const total = yield* totalOf(Queries.total(sql, options))
        const readPart = (part: Page.Part<number>) => ledgerEntries(Queries.pageOf(sql, options, part))
        return yield* Page.read(options, total, readPart, ({ entryId }) => entryId)
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
        walk: Effect.fn("Ledger.walk")((options) => ledgerEntries(Queries.walk(sql, options))),
        usage: Effect.fn("Ledger.usage")(({ limit, ...filter }) =>
          usageRows(Queries.usage(sql, filter, limit))
        ),
        state: Effect.map(sql.unsafe<Columns>(LedgerState.statement), LedgerState.read).pipe(
          Effect.withSpan("Ledger.state")
        )
      })
    })
  )
}

const accountBalances = rows(
  Schema.Struct({ accountId: AccountId, balance: NanoUsd, reserved: NanoUsd, updatedAt: Schema.Int })
)
const ledgerEntries = rows(LedgerEntry)
const usageRows = rows(UsageRow)
