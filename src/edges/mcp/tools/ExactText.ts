/** The JSON text of a value with integers past 2^53, as a member beside it: the protocol's library writes numbers anew. */
import { Schema } from "effect"
import type { Json } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"

/** @param name of the member that the text is beside. */
export const field = (name: string) =>
  Schema.optionalKey(Schema.String).annotate({
    description: `The JSON text of \`${name}\`, if it has integers past 2^53, which are rounded there.`
  })

export const of = <Name extends string>(name: Name, value: Json): { readonly [key in Name]?: string } =>
  JsonText.longIntegers(value).length === 0 ? {} : ({ [name]: JsonText.write(value) } as Record<Name, string>)
