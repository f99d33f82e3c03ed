/** Charges by time, model and unit (decisions, "Platform routes"). */
import { Schema } from "effect"
import { Granularity } from "#domain/CalendarTime.ts"
import { format, formatQuantity } from "#domain/Money.ts"
import { BillingUnit } from "#domain/Pricing.ts"
import type { UsageFilter } from "#projections/ledger/LedgerQueries.ts"
import type { Usage } from "../Statements.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"

const requests = Schema.Int.annotate({ description: "That were charged." })
const quantity = Schema.String.annotate({ description: "Charged units, as a decimal." })

export const UsageBody = Schema.Struct({
  start: DateTime.DateTime.annotate({
    description: "Begin of the first bucket, at or before the requested start."
  }),
  end: DateTime.DateTime.annotate({
    description: "End of the last bucket, at or after the requested end."
  }),
  granularity: Granularity,
  currency: MoneyView.Currency,
  data: Schema.Array(
    Schema.Struct({
      bucket: DateTime.DateTime.annotate({ description: "When the hour, day or month began (UTC)." }),
      keyId: Schema.optionalKey(
        Schema.String.annotate({
          description: "Only with `groupBy=key`: the key that submitted the requests."
        })
      ),
      modelEndpoint: Schema.String,
      unit: BillingUnit.annotate({ description: "What `quantity` counts." }),
      quantity,
      requests,
      cost: MoneyView.Money
    })
  ).annotate({
    description:
      "Ordered by bucket, then key if grouped by it, then model. Buckets without charges are omitted."
  }),
  totals: Schema.Struct({
    requests,
    quantity: Schema.Record(Schema.String, quantity).annotate({ description: "By unit." }),
    cost: MoneyView.Money
  }).annotate({ description: "Of all of `data`." })
}).annotate({
  identifier: "Usage",
  description: "What was charged.",
  examples: [
    {
      start: "2026-01-05T00:00:00.000Z",
      end: "2026-01-07T00:00:00.000Z",
      granularity: "day",
      currency: "USD",
      data: [
        {
          bucket: "2026-01-05T00:00:00.000Z",
          modelEndpoint: "sandbox/echo",
          unit: "request",
          quantity: "12",
          requests: 12,
          cost: "0.012"
        },
        {
          bucket: "2026-01-06T00:00:00.000Z",
          modelEndpoint: "vision/resize",
          unit: "megapixel",
          quantity: "1.5",
          requests: 2,
          cost: "0.0015"
        }
      ],
      totals: { requests: 14, quantity: { request: "12", megapixel: "1.5" }, cost: "0.0135" }
    }
  ]
})

export const of = (
  { byKey = false, end, granularity, start }: Pick<UsageFilter, "start" | "end" | "granularity" | "byKey">,
  { rows, totals }: Usage
): typeof UsageBody.Type => ({
  start: DateTime.format(start),
  end: DateTime.format(end),
  granularity,
  currency: MoneyView.currency,
  data: rows.map(({ bucket, cost, keyId, model, quantity, requests, unit }) => ({
    bucket: DateTime.format(bucket),
    ...(byKey && keyId !== null && { keyId }),
    modelEndpoint: model,
    unit,
    quantity: formatQuantity(quantity),
    requests,
    cost: format(cost)
  })),
  totals: {
    requests: totals.requests,
    quantity: Object.fromEntries(
      Array.from(totals.quantities, ([unit, quantity]) => [unit, formatQuantity(quantity)])
    ),
    cost: format(totals.cost)
  }
})
