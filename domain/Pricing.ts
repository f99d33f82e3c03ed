/** What a run costs: a price per billable unit, quoted and held at submit, captured on completion (architecture, "Billing"). */
import { Schema } from "effect"
import * as Money from "./Money.ts"

export const BillingUnit = Schema.Literals([
  "request",
  "image",
  "megapixel",
  "second",
  "1k_characters",
  "gpu_second"
])
export type BillingUnit = typeof BillingUnit.Type

export const Price = Schema.Struct({
  unit: BillingUnit,
  unitPrice: Money.NanoUsd,
  /** The least a charged run costs. */
  minimumCharge: Money.NanoUsd
})
export type Price = typeof Price.Type

/** The price a request was accepted at; it never changes afterwards. */
export const Quote = Schema.Struct({
  ...Price.fields,
  /** Units asked for; `null` when only the run can tell, as with the pixels of a picture that is scaled by its width. */
  quantity: Schema.NullOr(Money.Quantity),
  /** Units at most: `hold` pays for them, and a charge never exceeds it. */
  maxQuantity: Money.Quantity,
  hold: Money.NanoUsd
})
export type Quote = typeof Quote.Type

/** A run of what has a price is never free: what would round to nothing costs the smallest unit. */
export const leastCharge = ({ minimumCharge, unitPrice }: Price): Money.NanoUsd =>
  unitPrice > 0n ? Money.max(minimumCharge, smallest) : minimumCharge

const smallest = Money.NanoUsd.make(1n)

const cost = (price: Price, quantity: Money.Quantity): Money.NanoUsd =>
  Money.max(price.minimumCharge, Money.times(price.unitPrice, quantity))

/** Its `minimumCharge` is in force as it is: quotes of earlier versions have one of 0 where runs could round to nothing. */
export const quote = (price: Price, quantity: Money.Quantity | null, maxQuantity: Money.Quantity): Quote => {
  const quoted = { ...price, minimumCharge: leastCharge(price) }
  return { ...quoted, quantity, maxQuantity, hold: cost(quoted, maxQuantity) }
}

/** What a quote has to hold, by its own words. */
export const holdOf = (quote: Quote): Money.NanoUsd => cost(quote, quote.maxQuantity)

/** What `delivered` units cost under the quote. */
export const charge = (quote: Quote, delivered: Money.Quantity): Money.NanoUsd =>
  Money.min(quote.hold, cost(quote, delivered))
