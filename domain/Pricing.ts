/**
 * What a run costs: a price per billing unit, quoted and held at submit, charged on completion (architecture, "Billing").
 */
import { Schema } from "effect"
import * as Money from "./Money.ts"

export const BillingUnit = Schema.Literals([
  "request",
  "image",
  "megapixel",
  "second",
  "1k_characters",
  "1k_tokens",
  "gpu_second"
])
export type BillingUnit = typeof BillingUnit.Type

export const Price = Schema.Struct({
  unit: BillingUnit,
  unitPrice: Money.NanoUsd,
  /** The least that a charged run costs. */
  minimumCharge: Money.NanoUsd
})
export type Price = typeof Price.Type

/** The price at which a request was accepted. It never changes. */
export const Quote = Schema.Struct({
  ...Price.fields,
  /** Requested units. `null` when only the run can tell, for instance the pixels of a picture that is scaled to a width. */
  quantity: Schema.NullOr(Money.Quantity),
  /** The most units that can be charged. `hold` covers them, and a charge never exceeds `hold`. */
  maxQuantity: Money.Quantity,
  hold: Money.NanoUsd
})
export type Quote = typeof Quote.Type

/** The minimum charge in force. A run with a price is never free: a charge that would round to zero is 1 nano-USD. */
export const leastCharge = ({ minimumCharge, unitPrice }: Price): Money.NanoUsd =>
  unitPrice > 0n ? Money.max(minimumCharge, smallest) : minimumCharge

const smallest = Money.NanoUsd.make(1n)

const cost = (price: Price, quantity: Money.Quantity): Money.NanoUsd =>
  Money.max(price.minimumCharge, Money.times(price.unitPrice, quantity))

/** Quotes a price. The quote's `minimumCharge` is at least `leastCharge`; quotes of older releases may have 0 there. */
export const quote = (price: Price, quantity: Money.Quantity | null, maxQuantity: Money.Quantity): Quote => {
  const quoted = { ...price, minimumCharge: leastCharge(price) }
  return { ...quoted, quantity, maxQuantity, hold: cost(quoted, maxQuantity) }
}

/** The hold that follows from the quote's price and `maxQuantity`. */
export const holdOf = (quote: Quote): Money.NanoUsd => cost(quote, quote.maxQuantity)

/** What `delivered` units cost under the quote. */
export const charge = (quote: Quote, delivered: Money.Quantity): Money.NanoUsd =>
  Money.min(quote.hold, cost(quote, delivered))
