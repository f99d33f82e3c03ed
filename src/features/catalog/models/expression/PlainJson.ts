/** What JSONata makes, as JSON: it may hold functions, numbers that JSON has none of, and objects and arrays that are not plain. */
import type { Json } from "#domain/CanonicalJson.ts"

export const notJson = Symbol("no JSON")

/** Levels: bodies that come from outside have 128 of them at most. */
const deepest = 256

/** Functions of JSONata are objects, and lead to everything that they can see. */
const isFunction = (value: object): boolean => "_jsonata_lambda" in value || "_jsonata_function" in value

export const of = (value: unknown, depth = 0): Json | typeof notJson => {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number") return Number.isFinite(value) ? value : notJson
  if (typeof value !== "object" || depth > deepest || isFunction(value)) return notJson
  if (Array.isArray(value)) {
    const elements = value.map((element) => of(element, depth + 1))
    return elements.every(isJson) ? elements : notJson
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return notJson
  const members = Object.entries(value).map(([name, member]) => [name, of(member, depth + 1)] as const)
  return members.every(hasJson) ? Object.fromEntries(members) : notJson
}

const isJson = (value: Json | typeof notJson): value is Json => value !== notJson

const hasJson = (member: readonly [string, Json | typeof notJson]): member is readonly [string, Json] =>
  isJson(member[1])
