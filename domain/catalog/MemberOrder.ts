/**
 * The order of members in the schemas and examples of a definition, which canonical JSON would lose. Only shown: definitions
 * that differ in nothing else are the same version.
 */
import { Schema } from "effect"
import { isObject, type Json, type JsonObject, stringify, stringifyWith } from "../CanonicalJson.ts"

/** JSON texts of fields, by name. Absent: a field whose members are in canonical order. */
export const FieldTexts = Schema.Record(Schema.String, Schema.String)
export type FieldTexts = typeof FieldTexts.Type

const fields = ["inputSchema", "outputSchema", "exampleInput", "template", "defaults"] as const

/** Of the fields of a definition in which order is shown. `null` if all of them are in canonical order. */
export const textsOf = (definition: {
  readonly [Field in (typeof fields)[number]]?: Json
}): FieldTexts | null => {
  const texts = fields.flatMap((field) => {
    const value = definition[field]
    if (value === undefined) return []
    const text = JSON.stringify(value)
    return text === stringify(value) ? [] : [[field, text] as const]
  })
  return texts.length === 0 ? null : Object.fromEntries(texts)
}

/** The text of an encoded definition, with its fields in the order of `texts`. */
export const write = (encoded: JsonObject, texts: Json | undefined): string => {
  const given = isObject(texts) ? Object.entries(texts) : []
  const own = given.filter(
    (entry): entry is [string, string] => typeof entry[1] === "string" && Object.hasOwn(encoded, entry[0])
  )
  return stringifyWith(encoded, Object.fromEntries(own))
}

/** Whether two definitions of one version also show their members in the same order. */
export const isSame = (one: FieldTexts | null, other: FieldTexts | null): boolean =>
  stringify(one) === stringify(other)
