/** What all widgets of the form read from their properties. */
import type { WidgetProps } from "@rjsf/utils"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as FieldKind from "./FieldKind.ts"

export interface WidgetParts {
  readonly label: string
  readonly hint: string | undefined
  readonly error: string | null
  readonly isOptional: boolean
  readonly isDisabled: boolean
  readonly schema: JsonObject
}

/** A schema of the form comes from the model's, which is JSON. */
const jsonOf = (schema: object): JsonObject => ({ ...schema })

export const of = ({
  disabled,
  label,
  options,
  rawErrors,
  readonly,
  required,
  schema
}: WidgetProps): WidgetParts => {
  const own = jsonOf(schema)
  const said = [options.description ?? own["description"], FieldKind.boundsOf(own)].filter(
    (text) => typeof text === "string" && text !== ""
  )
  return {
    label,
    hint: said.length === 0 ? undefined : said.join(" "),
    error: rawErrors?.[0] ?? null,
    isOptional: required !== true,
    isDisabled: disabled === true || readonly === true,
    schema: own
  }
}
