/** A schema as nested fields in words. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"
import { boundsOf, typeOf } from "../form/FieldKind.ts"
import { referred } from "../form/InputIssues.ts"

export interface SchemaField {
  readonly name: string
  /** As "list of text". */
  readonly type: string
  readonly isRequired: boolean
  readonly description: string | null
  /** Bounds, choices and the default. */
  readonly rules: ReadonlyArray<string>
  readonly fields: ReadonlyArray<SchemaField>
}

/** Schemas may refer to themselves. */
const deepest = 6

/** Fields that are described: schemas whose parts refer to each other would have millions. */
const mostFields = 1_000

/** Choices that are listed. */
const mostChoices = 20

const names: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "true or false",
  object: "object",
  array: "list",
  null: "null"
}

const resolved = (root: JsonObject, schema: Json | undefined): JsonObject => {
  let found = isRecord(schema) ? schema : {}
  for (let steps = 0; steps < deepest && typeof found["$ref"] === "string"; steps++) {
    const { $ref, ...rest } = found
    const target = referred(root, String($ref))
    found = { ...(isRecord(target) ? target : {}), ...rest }
  }
  return found
}

const alternativesOf = (schema: JsonObject): ReadonlyArray<Json> => {
  const found = schema["oneOf"] ?? schema["anyOf"]
  return isList(found) ? found : []
}

const typeText = (root: JsonObject, schema: JsonObject, depth: number): string => {
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  if (isList(schema["enum"])) return "one of"
  const options = alternativesOf(schema)
  if (options.length > 0 && depth < deepest) {
    return [...new Set(options.map((option) => typeText(root, resolved(root, option), depth + 1)))].join(
      " or "
    )
  }
  const type = typeOf(schema)
  if (type === "array" && isRecord(schema["items"]) && depth < deepest) {
    return `list of ${typeText(root, resolved(root, schema["items"]), depth + 1)}`
  }
  const format = schema["format"] ?? schema["contentMediaType"]
  const named = type === null ? "any value" : (names[type] ?? type)
  return typeof format === "string" ? `${named} (${format})` : named
}

const rulesOf = (schema: JsonObject): ReadonlyArray<string> => {
  const { enum: choices, maxItems, minItems, pattern } = schema
  const said: Array<string> = []
  if (isList(choices)) {
    const listed = choices
      .slice(0, mostChoices)
      .map((choice) => (typeof choice === "string" ? choice : JSON.stringify(choice)))
    said.push(listed.join(", ") + (choices.length > mostChoices ? ", …" : ""))
  }
  const bounds = boundsOf(schema)
  if (bounds !== null) said.push(bounds)
  if (typeof minItems === "number") said.push(`At least ${minItems} items.`)
  if (typeof maxItems === "number") said.push(`At most ${maxItems} items.`)
  if (typeof pattern === "string") said.push(`Matches ${pattern}`)
  return said
}

/** The fields of what a field holds: of an object, of the items of a list, and of alternatives. */
const fieldsOf = (
  root: JsonObject,
  schema: JsonObject,
  depth: number,
  budget: { left: number }
): ReadonlyArray<SchemaField> => {
  if (depth >= deepest || budget.left <= 0) return []
  const items = schema["items"]
  if (isRecord(items)) return fieldsOf(root, resolved(root, items), depth + 1, budget)
  const required = new Set(isList(schema["required"]) ? schema["required"].map(String) : [])
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const own = Object.entries(properties).map(([name, member]): SchemaField => {
    budget.left -= 1
    const found = resolved(root, member)
    const { description } = found
    return {
      name,
      type: typeText(root, found, depth),
      isRequired: required.has(name),
      description: typeof description === "string" ? description : null,
      rules: rulesOf(found),
      fields: fieldsOf(root, found, depth + 1, budget)
    }
  })
  const others = alternativesOf(schema).flatMap((option) =>
    fieldsOf(root, resolved(root, option), depth + 1, budget)
  )
  return [...own, ...others]
}

export interface DescribedSchema {
  readonly type: string
  readonly description: string | null
  readonly rules: ReadonlyArray<string>
  readonly fields: ReadonlyArray<SchemaField>
}

export const of = (schema: JsonObject): DescribedSchema => {
  const own = resolved(schema, schema)
  const { description } = own
  return {
    type: typeText(schema, own, 0),
    description: typeof description === "string" ? description : null,
    rules: rulesOf(own),
    fields: fieldsOf(schema, own, 0, { left: mostFields })
  }
}
