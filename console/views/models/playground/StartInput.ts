/** The input that a form begins with. */
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { isList, isRecord } from "#console/views/result/JsonShape.ts"

/** Only the values that the schema fixes and requires, so that people need not type them. */
export const empty = (schema: JsonObject): JsonObject => {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {}
  const required = isList(schema["required"]) ? schema["required"].map(String) : []
  const fixed = required.flatMap((name) => {
    const member = properties[name]
    const value = isRecord(member) ? member["const"] : undefined
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(fixed)
}

/** The model's example, which is valid: the first run needs no typing. */
export const of = (schema: JsonObject, example: Json): Json => (isRecord(example) ? example : empty(schema))
