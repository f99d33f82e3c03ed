/** JSON texts of values with integers past 2^53, as members beside them: the protocol's library writes numbers anew. */
import { Schema } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

/** The texts of those members of `values` that have such integers, under the names with `suffix`. */
const textsOf = (values: JsonObject, suffix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      JsonText.longIntegers(value).length === 0 ? [] : [[name + suffix, JsonText.write(value)]]
    )
  )

/** As `outputText` beside `output`. */
export const beside = <Name extends string>(
  values: Readonly<Record<Name, JsonObject[string]>>
): { readonly [Text in `${Name}Text`]?: string } =>
  textsOf(values, "Text") as { readonly [Text in `${Name}Text`]?: string }

/** By the names of fields. */
export const exactTexts = Schema.optionalKey(
  Schema.Record(Schema.String, Schema.String).annotate({
    description: "JSON texts of fields with integers past 2^53."
  })
)

/** The member `exactTexts`, if there is such a field among `values`. */
export const of = (values: JsonObject): { readonly exactTexts?: Readonly<Record<string, string>> } => {
  const texts = textsOf(values, "")
  return Object.keys(texts).length === 0 ? {} : { exactTexts: texts }
}
