/** Formats definitions for output, with amounts in USD instead of the nano-USD of the log. */
import { Option, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"

const amount = Schema.decodeUnknownOption(Money.NanoUsd)

const convertFields = (object: JsonObject, fields: ReadonlyArray<string>): JsonObject => {
  const amounts = fields.flatMap((field) =>
    Option.match(amount(object[field]), { onNone: () => [], onSome: (nano) => [[field, Money.format(nano)]] })
  )
  return { ...object, ...Object.fromEntries(amounts) }
}

/** Accepts a definition of any kind and release. One without amounts is returned unchanged. */
export const inUsd = (definition: Json): Json => {
  if (!isObject(definition)) return definition
  const { price } = definition
  const priced = isObject(price)
    ? { ...definition, price: convertFields(price, ["unitPrice", "minimumCharge"]) }
    : definition
  return convertFields(priced, ["pricePerHour"])
}
