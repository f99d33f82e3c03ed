/** The values of a form's fields. A form has only texts, so a field is a text unless the model's schema wants another value. */
import { isObject, type Json, type JsonObject } from "#domain/CanonicalJson.ts"

const typesIn = (schema: Json | undefined): ReadonlySet<Json> => {
  const type = isObject(schema) ? schema["type"] : undefined
  return new Set(Array.isArray(type) ? type : [type ?? null])
}

/** The text of a number in JSON, with a digit more or less in front. */
const number = /^-?\d{1,15}(\.\d{1,15})?$/

const valueOf = (text: string, schema: Json | undefined): Json => {
  const types = typesIn(schema)
  if (types.has("string")) return text
  if ((types.has("number") || types.has("integer")) && number.test(text)) return Number(text)
  return types.has("boolean") && (text === "true" || text === "false") ? text === "true" : text
}

/** @param schema of the model's input. */
export const typed = (fields: JsonObject, schema: Json): JsonObject => {
  const properties = isObject(schema) && isObject(schema["properties"]) ? schema["properties"] : {}
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? valueOf(value, properties[name]) : value
    ])
  )
}
