/** The wire form of a ledger entry (decisions, "Platform routes"), as JSON and as CSV. */
import { Schema } from "effect"
import { format } from "#domain/Money.ts"
import type { LedgerEntry } from "#projections/ledger/Ledger.ts"
import { kinds } from "#projections/ledger/LedgerQueries.ts"
import * as Csv from "#src/kernel/text/Csv.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"

const example = {
  id: "bil_1204-0",
  type: "charge",
  requestId: RequestUrls.exampleId,
  modelEndpoint: "sandbox/echo",
  amount: "0.001",
  currency: "USD",
  balanceAfter: "24.999",
  createdAt: "2026-01-05T12:00:00.000Z",
  position: "1204"
} as const

export const BillingEventBody = Schema.Struct({
  id: Schema.String.annotate({ description: "Permanent and unique on this log." }),
  type: Schema.Literals(kinds).annotate({
    description:
      "`topup`: paid in. `hold`: reserved at submit. `charge`: taken from the hold. `release`: returned at the end of a request. `revert`: returned for an abandoned request."
  }),
  requestId: Schema.NullOr(Schema.String).annotate({ description: "null for a top-up." }),
  modelEndpoint: Schema.NullOr(Schema.String).annotate({ description: "null for a top-up." }),
  amount: MoneyView.Money.annotate({ description: "USD, positive; `type` says what for." }),
  currency: MoneyView.Currency,
  balanceAfter: MoneyView.Money.annotate({
    description: "The account's balance including reservations: only top-ups and charges change it."
  }),
  createdAt: DateTime.DateTime,
  position: Schema.String.annotate({
    description: "Of the event on the log, as `inferlog audit` and `inferlog log` show it."
  })
}).annotate({
  identifier: "BillingEvent",
  description: "An entry of the account's ledger.",
  examples: [example, { ...example, type: "topup", requestId: null, modelEndpoint: null }]
})
export type BillingEventBody = typeof BillingEventBody.Type

export const ListBody = ListView.bodyOf(BillingEventBody).annotate({
  identifier: "BillingEvents",
  description: "A page of the account's billing events.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [example], next: null }]
})

/** An event may have several entries: a charge and a release. */
export const record = (entry: LedgerEntry): BillingEventBody => ({
  id: `bil_${entry.position}-${entry.ordinal}`,
  type: entry.kind,
  requestId: entry.requestId,
  modelEndpoint: entry.model,
  amount: format(entry.amount),
  currency: MoneyView.currency,
  balanceAfter: format(entry.balanceAfter),
  createdAt: DateTime.format(entry.createdAt),
  position: entry.position
})

/** The CSV columns, found by name: add more only at the end. */
export const csvHeader = Csv.line([
  "id",
  "type",
  "requestId",
  "modelEndpoint",
  "amount",
  "currency",
  "balanceAfter",
  "createdAt",
  "position"
])

export const csvLine = (entry: LedgerEntry): string => {
  const { amount, balanceAfter, createdAt, currency, id, modelEndpoint, position, requestId, type } =
    record(entry)
  const texts = [id, type, requestId ?? "", modelEndpoint ?? ""].map(Csv.text)
  // Amounts are numbers, so a negative one is no formula.
  return Csv.line([...texts, amount, currency, balanceAfter, createdAt, position])
}
