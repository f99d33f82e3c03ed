/** The price and duration of a possible run (decisions, "Platform routes"). */
import { Schema } from "effect"
import * as Money from "#domain/Money.ts"
import * as Pricing from "#domain/Pricing.ts"
import type { Expectation } from "../Expectations.ts"
import type { CatalogEntry, Quantities } from "../models/Catalog.ts"
import * as ListingView from "./ListingView.ts"
import * as MoneyView from "#src/platform/views/MoneyView.ts"

const example = {
  modelEndpoint: "sandbox/slow",
  quantity: "2.5",
  unit: "second",
  estimatedCost: "0.00025",
  currency: "USD",
  isMaximum: false,
  maximumCost: "0.00025",
  expectedSeconds: 1,
  expected: null
} as const

export const EstimateBody = Schema.Struct({
  modelEndpoint: Schema.String,
  quantity: Schema.String.annotate({ description: "Billable units, as a decimal." }),
  unit: Pricing.BillingUnit,
  estimatedCost: MoneyView.Money,
  currency: MoneyView.Currency,
  isMaximum: Schema.Boolean.annotate({
    description: "The units are known only after the run: `quantity` and `estimatedCost` are the maximum."
  }),
  maximumCost: Schema.String.annotate({
    description: "Reserved until the run has ended, in USD: no run costs more."
  }),
  expectedSeconds: Schema.Finite.annotate({
    description: "How long a run usually takes, according to the publisher of the model."
  }),
  expected: ListingView.Expected
}).annotate({
  identifier: "Estimate",
  description: "What a run of this input would cost.",
  examples: [example, { ...example, isMaximum: true, expected: ListingView.modelExample.expected }]
})

/** The possible cost of a run under the quote. */
export const costsOf = (quote: Pricing.Quote) =>
  ({
    estimatedCost: Money.format(Pricing.charge(quote, quote.quantity ?? quote.maxQuantity)),
    currency: MoneyView.currency,
    isMaximum: quote.quantity === null,
    maximumCost: Money.format(quote.hold)
  }) as const

export const of = (
  { model }: CatalogEntry,
  { maxQuantity, quantity }: Quantities,
  expectation: Expectation | null
): typeof EstimateBody.Type => {
  const quote = Pricing.quote(model.price, quantity, maxQuantity)
  return {
    modelEndpoint: model.endpoint,
    quantity: Money.formatQuantity(quantity ?? maxQuantity),
    unit: quote.unit,
    ...costsOf(quote),
    expectedSeconds: model.expectedSeconds,
    expected: ListingView.expected(expectation)
  }
}
