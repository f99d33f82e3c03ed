/** The price of a run (decisions, "Platform routes"). */
import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import { BillingUnit, type Price } from "#domain/Pricing.ts"
import type { Listed } from "../CatalogContents.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"

const fields = {
  unit: BillingUnit,
  unitPrice: MoneyView.Money,
  currency: MoneyView.Currency,
  minimumCharge: Schema.String.annotate({ description: "The least that a charged run costs, in USD." })
}

export const Pricing = Schema.Struct(fields).annotate({ identifier: "Pricing" })

const example = {
  modelEndpoint: "vision/resize",
  unit: "megapixel",
  unitPrice: "0.001",
  currency: "USD",
  minimumCharge: "0",
  effectiveFrom: "2026-01-05T12:00:00.000Z"
} as const

const PriceBody = Schema.Struct({
  modelEndpoint: Schema.String,
  ...fields,
  effectiveFrom: DateTime.DateTime.annotate({
    description: "When the model was last published, with this price."
  })
}).annotate({ identifier: "Price", description: "The price of one model or wrapper.", examples: [example] })

export const ListBody = ListView.bodyOf(PriceBody).annotate({
  identifier: "Prices",
  description: "A page of the prices.",
  examples: [{ page: 1, limit: 20, total: 1, totalPages: 1, data: [example], next: null }]
})

export const pricing = ({ minimumCharge, unit, unitPrice }: Price): typeof Pricing.Type => ({
  unit,
  unitPrice: Money.format(unitPrice),
  currency: MoneyView.currency,
  minimumCharge: Money.format(minimumCharge)
})

export const record = (listed: Listed): typeof PriceBody.Type => {
  const [endpoint, { price }] =
    listed.kind === "model" ? [listed.model.endpoint, listed.model] : [listed.wrapper.endpoint, listed.base]
  return { modelEndpoint: endpoint, ...pricing(price), effectiveFrom: DateTime.format(listed.updatedAt) }
}
