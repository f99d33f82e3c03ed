/**
 * Money and quantities as bigint: amounts in nano-USD (10⁻⁹ USD), quantities in millionths of a billing unit. No float takes
 * part in billing. On the wire both are decimal strings (decisions, preamble).
 */
import { Option, Schema } from "effect"

export const NanoUsd = Schema.BigIntFromString.pipe(Schema.brand("NanoUsd"))
/** USD × 10⁹. */
export type NanoUsd = typeof NanoUsd.Type

export const Quantity = Schema.BigIntFromString.pipe(Schema.brand("Quantity"))
/** Billable units × 10⁶. */
export type Quantity = typeof Quantity.Type

const moneyDigits = 9
const quantityScale = 1_000_000n

export const zero: NanoUsd = NanoUsd.make(0n)

/** `price` per unit × `quantity`, rounded half-up to the nano-USD. Both must not be negative. */
export const times = (price: NanoUsd, quantity: Quantity): NanoUsd =>
  NanoUsd.make((price * quantity + quantityScale / 2n) / quantityScale)

export const min = (a: NanoUsd, b: NanoUsd): NanoUsd => (a < b ? a : b)
export const max = (a: NanoUsd, b: NanoUsd): NanoUsd => (a > b ? a : b)

/** A whole number of units. */
export const units = (count: number): Quantity => Quantity.make(BigInt(count) * quantityScale)

/** `count` millionths of a unit: pixels as megapixels, for instance. */
export const millionths = (count: number): Quantity => Quantity.make(BigInt(count))

/**
 * Reads a decimal text of units exactly: at most twelve digits before the point and six after it. `None` for any other text.
 */
export const parseQuantity = (text: string): Option.Option<Quantity> => {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text)
  if (match === null) return Option.none()
  const [, whole = "", fraction = ""] = match
  return Option.some(Quantity.make(BigInt(whole + fraction.padEnd(6, "0"))))
}

/** Up to this number of units, a double can represent millionths. */
const maxWithFraction = 1e9
const maxUnits = 1e12

/**
 * Converts a number of units from 0 to 10¹², rounded half-up to the millionth. `None` for any other number, and for a
 * fraction above 10⁹ units, which a double cannot represent exactly.
 */
export const quantityOf = (count: number): Option.Option<Quantity> => {
  if (!(count >= 0 && count <= maxUnits)) return Option.none()
  if (Number.isInteger(count)) return Option.some(units(count))
  return count < maxWithFraction ? Option.some(millionths(Math.round(count * 1e6))) : Option.none()
}

/** The shortest decimal text: `"0.0125"`, `"25"`. */
export const format = (amount: NanoUsd): string => {
  const sign = amount < 0n ? "-" : ""
  const padded = (amount < 0n ? -amount : amount).toString().padStart(moneyDigits + 1, "0")
  const fraction = padded.slice(-moneyDigits).replace(/0+$/, "")
  return sign + padded.slice(0, -moneyDigits) + (fraction === "" ? "" : `.${fraction}`)
}

/** Like `format`: `"1.5"` for one and a half units. */
export const formatQuantity = (quantity: Quantity): string => format(NanoUsd.make(quantity * 1_000n))

/** Reads a decimal text with at most nine decimal places. `None` for any other text. */
export const parse = (text: string): Option.Option<NanoUsd> => {
  const match = /^(-?)(\d{1,18})(?:\.(\d+))?$/.exec(text)
  if (match === null) return Option.none()
  const [, sign = "", whole = "", fraction = ""] = match
  if (fraction.length > moneyDigits) return Option.none()
  const value = BigInt(whole + fraction.padEnd(moneyDigits, "0"))
  return Option.some(NanoUsd.make(sign === "-" ? -value : value))
}
