/** Definitions as commands print them: amounts in USD, as manifests and answers have them, not in nano-USD as the log does. */
import { Option, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"

const amount = Schema.decodeUnknownOption(Money.NanoUsd)

const told = (object: JsonObject, fields: ReadonlyArray<string>): JsonObject => {
  const amounts = fields.flatMap((field) =>
    Option.match(amount(object[field]), { onNone: () => [], onSome: (nano) => [[field, Money.format(nano)]] })
  )
  return { ...object, ...Object.fromEntries(amounts) }
}

/** Of whatever kind, and of whatever release: what has no amounts is told as it is. */
export const inUsd = (definition: Json): Json => {
  if (!isObject(definition)) return definition
  const { price } = definition
  const priced = isObject(price)
    ? { ...definition, price: told(price, ["unitPrice", "minimumCharge"]) }
    : definition
  return told(priced, ["pricePerHour"])
}
