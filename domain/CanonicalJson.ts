/**
 * JSON with one spelling: object keys sorted by UTF-16 code units and no white space (RFC 8785). What is hashed and
 * stored is this text, so that equal values have equal hashes on every backend.
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** The canonical text of a value that came from `JSON.parse` or an encoder: no `undefined`, functions or bigints. */
export const stringify = (value: Json): string => {
  if (isInOrder(value)) return JSON.stringify(value)
  const sorted = sort(value)
  return sorted === undefined ? write(value) : JSON.stringify(sorted)
}

/** The canonical text of an object, of which some members are given by theirs: `texts` may be large. */
export const stringifyWith = (value: JsonObject, texts: Readonly<Record<string, string>>): string => {
  const textOf = (key: string): string => texts[key] ?? stringify(value[key] ?? null)
  const keys = Object.keys({ ...value, ...texts }).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${textOf(key)}`).join(",")}}`
}

/** Whether every object has its keys in order already: those that we make ourselves have. */
const isInOrder = (value: Json): boolean => {
  if (value === null || typeof value !== "object") return true
  if (isArray(value)) return value.every(isInOrder)
  let previous: string | undefined
  for (const key in value) {
    if (previous !== undefined && key < previous) return false
    const member = value[key]
    if (typeof member === "object" && !isInOrder(member)) return false
    previous = key
  }
  return true
}

/**
 * The value with its keys in order, for `JSON.stringify` is much faster than what is written here. `undefined` when an
 * object cannot hold its keys in that order: those that look like integers come first in any object, and `__proto__` is no
 * key to assign to.
 */
const sort = (value: Json): Json | undefined => {
  if (value === null || typeof value !== "object") return value
  return isArray(value) ? sortItems(value) : sortMembers(value)
}

const sortItems = (items: ReadonlyArray<Json>): Json | undefined => {
  const sorted: Array<Json> = []
  for (const item of items) {
    const next = sort(item)
    if (next === undefined) return undefined
    sorted.push(next)
  }
  return sorted
}

const sortMembers = (value: JsonObject): Json | undefined => {
  const sorted: Record<string, Json> = {}
  for (const key of Object.keys(value).sort()) {
    if (isUnsortable(key)) return undefined
    const member = value[key]
    if (member === undefined) continue
    const next = sort(member)
    if (next === undefined) return undefined
    sorted[key] = next
  }
  return sorted
}

const isUnsortable = (key: string): boolean => {
  const first = key.charCodeAt(0)
  return (first >= 0x30 && first <= 0x39) || key === "__proto__"
}

const write = (value: Json): string => {
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  return isArray(value) ? `[${value.map(write).join(",")}]` : writeObject(value)
}

const writeObject = (value: JsonObject): string => {
  let text = "{"
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    text += `${text.length === 1 ? "" : ","}${JSON.stringify(key)}:${write(member)}`
  }
  return `${text}}`
}

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray

/** Whether it has members by name: no list, no scalar, not absent. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
