/** An account's money as clients see it, on every transport (decisions, "Platform routes"). */
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type NanoUsd, NanoUsd as Amount, Quantity, zero } from "#domain/Money.ts"
import type { BillingUnit } from "#domain/Pricing.ts"
import {
  type Balance,
  Ledger,
  type LedgerEntry,
  type LedgerPage,
  type UsageRow
} from "#projections/ledger/Ledger.ts"
import type * as Page from "#projections/Page.ts"
import type { Filter, UsageFilter } from "#projections/ledger/LedgerQueries.ts"
import { Projections } from "#projections/Projections.ts"
import type { ReadModelBehind } from "#projections/ReadModelError.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as NamedRequest from "#src/features/requests/NamedRequest.ts"
import { type RequestForbidden, Requests } from "#src/features/requests/Requests.ts"
import type { EventStoreError } from "#streams/EventReader.ts"

/** More rows than one answer may have (`mostUsageRows`). */
export class UsageTooLarge extends Schema.TaggedError<UsageTooLarge>()("UsageTooLarge", {}) {}

/** Rows of 13 models by hour for a month. */
export const mostUsageRows = 10_000

/** Amounts are nano-USD. */
export interface AccountBalance extends Balance {
  /** The balance minus reservations; a credit limit is added to it. */
  readonly available: NanoUsd
}

export interface Usage {
  readonly rows: ReadonlyArray<UsageRow>
  /** Over all rows. */
  readonly totals: {
    readonly requests: number
    readonly cost: NanoUsd
    readonly quantities: ReadonlyMap<BillingUnit, Quantity>
  }
}

/** Of the caller's account. */
type OfCaller<F> = Omit<F, "accountId"> & { readonly caller: Caller }

/** All of them show the log as of the call, or fail after 2 s. */
export class Statements extends Context.Service<
  Statements,
  {
    balance(caller: Caller): Effect.Effect<AccountBalance, ReadModelBehind | EventStoreError | SqlError>
    /** Sums of charges, ordered by bucket, key if `byKey`, model and unit. Failed and cancelled requests do not count. */
    usage(
      options: OfCaller<UsageFilter>
    ): Effect.Effect<Usage, UsageTooLarge | ReadModelBehind | EventStoreError | SqlError>
    /** A page of the account's entries, newest first: page `page`, from 1, or the page after `after`. */
    entries(
      options: OfCaller<Filter> & Page.PageRequest<number>
    ): Effect.Effect<LedgerPage, RequestForbidden | ReadModelBehind | EventStoreError | SqlError>
    /** All entries as of the first read, newest first, in pages. Holds nothing between reads, however slow the reader. */
    allEntries(
      options: OfCaller<Filter>
    ): Effect.Effect<
      Stream.Stream<ReadonlyArray<LedgerEntry>, SqlError>,
      RequestForbidden | ReadModelBehind | EventStoreError | SqlError
    >
  }
>()("inferlog/src/features/billing/Statements") {
  /** @param mostRows of one answer about usage. */
  static readonly layerOf = ({ mostRows }: { readonly mostRows: number }) =>
    Layer.effect(
      Statements,
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const projections = yield* Projections
        const requests = yield* Requests
        const isCurrent = projections.current("ledger")

        /** Filter of the caller's account. */
        const filterOf = Effect.fnUntraced(function* <F extends Pick<Filter, "requestId">>({
          caller,
          ...query
        }: F & { readonly caller: Caller }) {
          yield* NamedRequest.check(requests, caller, query.requestId)
          yield* isCurrent
          return { ...query, accountId: caller.accountId }
        })

        return Statements.of({
          balance: Effect.fn("Statements.balance")(function* ({ accountId }) {
            yield* isCurrent
            const found = yield* ledger.balance(accountId)
            return { ...found, available: Amount.make(found.balance - found.reserved) }
          }),
          usage: Effect.fn("Statements.usage")(function* ({ caller, ...query }) {
            yield* isCurrent
            const filter = { ...query, accountId: caller.accountId }
            const rows = yield* ledger.usage({ ...filter, limit: mostRows + 1 })
            if (rows.length > mostRows) return yield* new UsageTooLarge()
            return { rows, totals: totalsOf(rows) }
          }),
          entries: Effect.fn("Statements.entries")(function* (options) {
            return yield* ledger.entries(yield* filterOf(options))
          }),
          allEntries: Effect.fn("Statements.allEntries")(function* (options) {
            const filter = yield* filterOf(options)
            const read = (after: number | null) =>
              ledger.entries({ ...filter, page: 1, after, limit: readAtOnce })
            const { items, next } = yield* read(null)
            const first = Stream.succeed(items)
            if (next === null) return first
            const others = Stream.paginate(next, (after) =>
              Effect.map(read(after), ({ items, next }) => [[items], Option.fromNullishOr(next)] as const)
            )
            return Stream.concat(first, others)
          })
        })
      })
    )

  static readonly layer = Statements.layerOf({ mostRows: mostUsageRows })
}

/** Entries: some ms of the calling thread. */
const readAtOnce = 500

const totalsOf = (rows: ReadonlyArray<UsageRow>): Usage["totals"] => {
  const quantities = new Map<BillingUnit, Quantity>()
  let requests = 0
  let cost: bigint = zero
  for (const row of rows) {
    requests += row.requests
    cost += row.cost
    quantities.set(row.unit, Quantity.make((quantities.get(row.unit) ?? 0n) + row.quantity))
  }
  return { requests, cost: Amount.make(cost), quantities }
}
