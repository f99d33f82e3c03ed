/** Which JSON types a field may have, after the JSON Schema of a model's input. */
import { Predicate } from "effect"
import type { JsonObject } from "./InputPart.ts"

type Types = ReadonlySet<string>

/** References that follow each other. */
const mostReferences = 32

/** The schema behind a local `$ref`. */
const resolved = (root: JsonObject, schema: unknown, depth = 0): JsonObject => {
  if (!Predicate.isObject(schema)) return {}
  const { $ref: reference } = schema
  if (typeof reference !== "string" || depth === mostReferences) return schema
  const names = reference.replace(/^#\/?/, "").split("/")
  const found = names.reduce<unknown>((at, name) => (Predicate.isObject(at) ? at[name] : undefined), root)
  return resolved(root, found, depth + 1)
}

const typeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** `null`: any. */
const typesOf = (root: JsonObject, schema: JsonObject, depth = 0): Types | null => {
  if (schema["type"] !== undefined) {
    const names = [schema["type"]].flat().map((name) => (name === "integer" ? "number" : String(name)))
    return new Set(names)
  }
  if (schema["const"] !== undefined) return new Set([typeOf(schema["const"])])
  if (schema["enum"] !== undefined) return new Set(listOf(schema["enum"]).map(typeOf))
  const choices = ["anyOf", "oneOf", "allOf"].flatMap((key) => listOf(schema[key]))
  if (choices.length === 0 || depth === mostReferences) return null
  const types = choices.map((choice) => typesOf(root, resolved(root, choice), depth + 1))
  return types.includes(null) ? null : new Set(types.flatMap((some) => [...(some ?? [])]))
}

/** Whether the schema takes a text at the field where `value` is not allowed. */
export const isTextInstead = (
  schema: unknown,
  { isItem, path }: { readonly path: ReadonlyArray<string>; readonly isItem: boolean },
  value: unknown
): boolean => {
  const root = Predicate.isObject(schema) ? schema : {}
  const field = path.reduce((at, name) => {
    const { properties } = resolved(root, at)
    return Predicate.isObject(properties) && Object.hasOwn(properties, name)
      ? resolved(root, properties[name])
      : {}
  }, root)
  const types = typesOf(root, isItem ? resolved(root, field["items"]) : field)
  return types !== null && types.has("string") && !types.has(typeOf(value))
}
