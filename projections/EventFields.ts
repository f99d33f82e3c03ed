/**
 * Reads and checks single fields of an event's data. A replay reads a few fields of millions of events; this costs a tenth
 * of decoding with a schema and rejects the same values.
 */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import { NanoUsd } from "#domain/Money.ts"

/** Names the field and never its value, which may be user input. */
class UnexpectedField extends Error {
  override readonly name = "UnexpectedField"
}

const unexpected = (field: string, expected: string) =>
  new UnexpectedField(`The field ${field} is not ${expected}`)

export const text = (data: JsonObject, field: string): string => {
  const value = data[field]
  if (typeof value !== "string") throw unexpected(field, "a string")
  return value
}

export const textOrNull = (data: JsonObject, field: string): string | null =>
  data[field] === null ? null : text(data, field)

/** `null` when the field is absent. */
export const textIfAny = (data: JsonObject, field: string): string | null =>
  data[field] === undefined ? null : text(data, field)

export const integer = (data: JsonObject, field: string): number => {
  const value = data[field]
  if (!Number.isSafeInteger(value)) throw unexpected(field, "an integer")
  return Number(value)
}

export const integerOrNull = (data: JsonObject, field: string): number | null =>
  data[field] === null ? null : integer(data, field)

/** `null` when the field is absent. */
export const integerIfAny = (data: JsonObject, field: string): number | null =>
  data[field] === undefined ? null : integer(data, field)

export const boolean = (data: JsonObject, field: string): boolean => {
  const value = data[field]
  if (typeof value !== "boolean") throw unexpected(field, "true or false")
  return value
}

const digits = /^-?\d+$/

/** An amount of money, stored as text. */
export const amount = (data: JsonObject, field: string): NanoUsd => {
  const value = data[field]
  if (typeof value !== "string" || !digits.test(value)) throw unexpected(field, "an amount")
  return NanoUsd.make(BigInt(value))
}

export const oneOf = <const Word extends string>(
  data: JsonObject,
  field: string,
  words: ReadonlyArray<Word>
): Word => {
  const value = data[field]
  const word = words.find((word) => word === value)
  if (word === undefined) throw unexpected(field, `one of ${words.join(", ")}`)
  return word
}

/** A list that contains only the given words. */
export const someOf = <const Word extends string>(
  data: JsonObject,
  field: string,
  words: ReadonlyArray<Word>
): ReadonlyArray<Word> => {
  const value = data[field]
  const found = Array.isArray(value) ? words.filter((word) => value.includes(word)) : []
  if (!Array.isArray(value) || !value.every((item) => found.some((word) => word === item))) {
    throw unexpected(field, `a list of ${words.join(", ")}`)
  }
  return found
}

export const object = (data: JsonObject, field: string): JsonObject => {
  const value = data[field]
  if (!isObject(value)) throw unexpected(field, "an object")
  return value
}

export const list = (data: JsonObject, field: string): ReadonlyArray<Json> => {
  const value = data[field]
  if (!Array.isArray(value)) throw unexpected(field, "a list")
  return value
}

/** `null` when the field is absent. */
export const objectIfAny = (data: JsonObject, field: string): JsonObject | null =>
  data[field] === undefined ? null : object(data, field)

/** An object with strings as members. */
export const texts = (data: JsonObject, field: string): JsonObject => {
  const value = object(data, field)
  for (const key of Object.keys(value)) {
    if (typeof value[key] !== "string") throw unexpected(field, "an object of strings")
  }
  return value
}
