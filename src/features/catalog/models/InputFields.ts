/** Summarizes the JSON Schema (2020-12) of an input field by field, for people; not for validation. */
import { isList, isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonPointer from "./JsonPointer.ts"

export interface InputField {
  readonly name: string
  /** For example `integer`, `string (uri)`, `array of string` or `string or null`. */
  readonly type: string
  readonly required: boolean
  /** For example `1 to 4096` or `at most 200 characters`. */
  readonly limits?: string
  readonly allowed?: ReadonlyArray<Json>
  readonly default?: Json
  readonly description?: string
}

/** Nested references and alternatives that are followed, because a schema may contain itself. */
const deepest = 4

/** Allowed values that are listed. */
const mostAllowed = 40

/** Properties of a nested object that are named. */
const mostProperties = 12

/** Characters of a default's JSON that are shown. */
const longestDefault = 300

/** Characters of a pattern that are shown. */
const longestPattern = 40

const textsOf = (value: Json | undefined): ReadonlyArray<string> =>
  (isList(value) ? value : [value]).flatMap((text) => (typeof text === "string" ? [text] : []))

const schemasOf = (value: Json | undefined): ReadonlyArray<JsonObject> =>
  isList(value) ? value.filter(isObject) : []

const lineOf = (text: Json | undefined): string | undefined =>
  typeof text === "string" && text.trim() !== "" ? text.replace(/\s+/g, " ").trim() : undefined

/** Includes local references and `allOf`. The schema's own keywords win. */
const resolved = (schema: JsonObject, root: JsonObject, depth = 0): JsonObject => {
  const { $ref, allOf, ...own } = schema
  if (depth === deepest) return own
  const target =
    typeof $ref === "string" && $ref.startsWith("#") ? JsonPointer.at(root, $ref.slice(1)) : undefined
  const parts = [...schemasOf(allOf), ...(isObject(target) ? [target] : [])]
  return parts
    .map((part) => resolved(part, root, depth + 1))
    .reduce<JsonObject>(
      (whole, part) => ({
        ...part,
        ...whole,
        ...joined("properties", whole, part),
        ...joined("required", whole, part)
      }),
      own
    )
}

const joined = (keyword: "properties" | "required", a: JsonObject, b: JsonObject): JsonObject => {
  const [x, y] = [a[keyword], b[keyword]]
  if (isObject(x) && isObject(y)) return { [keyword]: { ...y, ...x } }
  return isList(x) && isList(y) ? { [keyword]: [...x, ...y] } : {}
}

const typeOfValue = (value: Json): string => {
  if (value === null) return "null"
  if (isList(value)) return "array"
  return typeof value
}

const alternativesOf = ({ anyOf, oneOf }: JsonObject): ReadonlyArray<JsonObject> => [
  ...schemasOf(anyOf),
  ...schemasOf(oneOf)
]

const typesOf = (schema: JsonObject, root: JsonObject, depth: number): ReadonlyArray<string> => {
  const types = textsOf(schema["type"])
  if (types.length > 0) return types.map((type) => named(type, schema, root, depth))
  const allowed = allowedOf(schema)
  if (allowed !== undefined) return allowed.map(typeOfValue)
  if (depth === deepest) return []
  return alternativesOf(schema).map((alternative) => typeOf(resolved(alternative, root), root, depth + 1))
}

const typeOf = (schema: JsonObject, root: JsonObject, depth: number): string => {
  const names = typesOf(schema, root, depth)
  return names.length === 0 ? "any" : [...new Set(names)].join(" or ")
}

const named = (type: string, schema: JsonObject, root: JsonObject, depth: number): string => {
  const { format, items, properties } = schema
  if (type === "string" && typeof format === "string") return `string (${format})`
  if (type === "array" && isObject(items) && depth < deepest) {
    const item = typeOf(resolved(items, root), root, depth + 1)
    return `array of ${item.includes(" or ") ? `(${item})` : item}`
  }
  if (type === "object" && isObject(properties)) {
    const names = Object.keys(properties)
    const more = names.length > mostProperties ? ["…"] : []
    return `object { ${[...names.slice(0, mostProperties), ...more].join(", ")} }`
  }
  return type
}

const allowedOf = (schema: JsonObject): ReadonlyArray<Json> | undefined => {
  const { const: only, enum: allowed } = schema
  return only !== undefined ? [only] : isList(allowed) ? allowed : undefined
}

const range = (schema: JsonObject, least: string, most: string, unit: string): string | undefined => {
  const [from, to] = [schema[least], schema[most]]
  if (typeof from === "number" && typeof to === "number") {
    return from === to ? `exactly ${from}${unit}` : `${from} to ${to}${unit}`
  }
  if (typeof from === "number") return from === 0 && unit !== "" ? undefined : `at least ${from}${unit}`
  return typeof to === "number" ? `at most ${to}${unit}` : undefined
}

const keyword = (schema: JsonObject, name: string, words: string, longest = 20): string | undefined => {
  const value = schema[name]
  const text = typeof value === "number" || typeof value === "string" ? String(value) : undefined
  return text === undefined || text.length > longest ? undefined : `${words} ${text}`
}

const limitsOf = (schema: JsonObject, allowed: ReadonlyArray<Json> | undefined): string | undefined => {
  const limits = [
    range(schema, "minimum", "maximum", ""),
    keyword(schema, "exclusiveMinimum", "more than"),
    keyword(schema, "exclusiveMaximum", "less than"),
    keyword(schema, "multipleOf", "a multiple of"),
    range(schema, "minLength", "maxLength", " characters"),
    keyword(schema, "pattern", "matching", longestPattern),
    range(schema, "minItems", "maxItems", " items"),
    allowed !== undefined && allowed.length > mostAllowed
      ? `${allowed.length} values are allowed, the first ${mostAllowed} are listed`
      : undefined
  ].filter((limit) => limit !== undefined)
  return limits.length === 0 ? undefined : limits.join(", ")
}

const fieldOf = (name: string, required: boolean, declared: Json, root: JsonObject): InputField => {
  if (!isObject(declared)) return { name, type: "any", required }
  const schema = resolved(declared, root)
  const allowed = allowedOf(schema)
  const limits = limitsOf(schema, allowed)
  const { default: usual } = schema
  const description = lineOf(schema["description"]) ?? lineOf(schema["title"])
  return {
    name,
    type: typeOf(schema, root, 0),
    required,
    ...(limits !== undefined && { limits }),
    ...(allowed !== undefined && { allowed: allowed.slice(0, mostAllowed) }),
    ...(usual !== undefined && JSON.stringify(usual).length <= longestDefault && { default: usual }),
    ...(description !== undefined && { description })
  }
}

/** Required properties first, otherwise in the schema's order. */
export const of = (schema: JsonObject): ReadonlyArray<InputField> => {
  const { properties, required } = resolved(schema, schema)
  if (!isObject(properties)) return []
  const needed = new Set(textsOf(required))
  const fields = Object.entries(properties).map(([name, declared]) =>
    fieldOf(name, needed.has(name), declared, schema)
  )
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)]
}
