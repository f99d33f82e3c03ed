/**
 * JSON with one spelling: object keys sorted by UTF-16 code units, no white space (RFC 8785). This text is hashed and
 * stored, so equal values have equal hashes on every backend.
 */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** The canonical text of a value from `JSON.parse` or an encoder: no `undefined`, functions or bigints. */
export const stringify = (value: Json): string => {
  if (isInOrder(value)) return JSON.stringify(value)
  const sorted = sort(value)
  return sorted === undefined ? write(value) : JSON.stringify(sorted)
}

/** The canonical text of an object. `texts` has members that are already canonical text, which may be large. */
export const stringifyWith = (value: JsonObject, texts: Readonly<Record<string, string>>): string => {
  const textOf = (key: string): string => texts[key] ?? stringify(value[key] ?? null)
  const keys = Object.keys({ ...value, ...texts }).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${textOf(key)}`).join(",")}}`
}

/** Whether every object already has its keys in order, as the objects made here do. */
const isInOrder = (value: Json): boolean => {
  if (value === null || typeof value !== "object") return true
  if (isList(value)) return value.every(isInOrder)
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
 * The value with its keys in order, for the native `JSON.stringify`, which is much faster than `write`. Returns `undefined`
 * when an object cannot store its keys in that order: integer-like keys always come first, and assigning `__proto__` adds no
 * key.
 */
const sort = (value: Json): Json | undefined => {
  if (value === null || typeof value !== "object") return value
  return isList(value) ? sortItems(value) : sortMembers(value)
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
  return isList(value) ? `[${value.map(write).join(",")}]` : writeObject(value)
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

/** Whether the value is an array. */
export const isList = (value: Json | undefined): value is ReadonlyArray<Json> => Array.isArray(value)

/** Whether the value is an object: not an array, a scalar or absent. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
