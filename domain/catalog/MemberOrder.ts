/**
 * The order of members and the digits of numbers in the fields of a definition that have JSON of its author, which canonical JSON
 * would lose. Definitions that differ in nothing else are the same version.
 */
import { Schema } from "effect"
import { isList, isObject, type Json, type JsonObject, stringify, stringifyWith } from "../CanonicalJson.ts"
import * as JsonText from "../JsonText.ts"

/** JSON texts of fields, by name. Absent: a field that canonical JSON writes as its author did. */
export const FieldTexts = Schema.Record(Schema.String, Schema.String)
export type FieldTexts = typeof FieldTexts.Type

/** Of models and wrappers, and the variables of deployment templates. */
const fields = ["inputSchema", "outputSchema", "exampleInput", "template", "defaults", "env"] as const

/** JSON of the author inside of a list whose other members have an order of their own. */
const isOptioned = (providers: Json): boolean =>
  isList(providers) &&
  providers.some((binding) => {
    const options = isObject(binding) ? binding["options"] : undefined
    return options !== undefined && JsonText.write(options) !== stringify(options)
  })

/** Of the fields of a definition that canonical JSON would write in another way. `null` without one. */
export const textsOf = (definition: {
  readonly [Field in (typeof fields)[number] | "providers"]?: Json
}): FieldTexts | null => {
  const texts: Record<string, string> = {}
  for (const field of fields) {
    const value = definition[field]
    if (value === undefined) continue
    const text = JsonText.write(value)
    if (text !== stringify(value)) texts[field] = text
  }
  const { providers } = definition
  if (providers !== undefined && isOptioned(providers)) texts["providers"] = JsonText.write(providers)
  return Object.keys(texts).length === 0 ? null : texts
}

/** As `textsOf`, of an encoded definition. */
export const textsIn = (encoded: Json): FieldTexts | null => (isObject(encoded) ? textsOf(encoded) : null)

/** The definition that was decoded from `source`, with fields that remember their texts: decoding copies objects. */
export const remembering = <Definition extends object>(definition: Definition, source: Json): Definition => {
  const found = fields.flatMap((field) => {
    const value = field in definition ? JsonText.member(source, field) : undefined
    return value === undefined ? [] : [[field, value] as const]
  })
  return { ...definition, ...Object.fromEntries(found) }
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
