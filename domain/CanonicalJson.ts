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
  if (value === null || typeof value !== "object") return JSON.stringify(value)
  return isArray(value) ? `[${value.map(stringify).join(",")}]` : stringifyObject(value)
}

const stringifyObject = (value: JsonObject): string => {
  let text = "{"
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    text += `${text.length === 1 ? "" : ","}${JSON.stringify(key)}:${stringify(member)}`
  }
  return `${text}}`
}

const isArray: (value: Json) => value is ReadonlyArray<Json> = Array.isArray
