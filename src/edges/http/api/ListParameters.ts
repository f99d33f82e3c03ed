/**
 * Query parameters of list routes. To the declared schemas they are texts, because the routes parse them and report the
 * issues themselves; the OpenAPI document describes their forms.
 */
import { type JsonSchema, Schema, Struct } from "effect"
import { mostPerPage } from "../requests/PageQuery.ts"

export const text = (description: string) => Schema.optionalKey(Schema.String.annotate({ description }))

/** A parameter that may be repeated. */
export const texts = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description }))

export const page = {
  page: text("From 1."),
  limit: text("Of one page."),
  cursor: text("`next` of the page before; in the place of `page`.")
}

/** By the name of a parameter. */
export type Forms = Readonly<Record<string, JsonSchema.JsonSchema>>

export const pageForms = (defaultLimit: number): Forms => ({
  page: { type: "integer", minimum: 1, default: 1 },
  limit: { type: "integer", minimum: 1, maximum: mostPerPage, default: defaultLimit }
})

interface Parameter {
  readonly name: string
  readonly schema: JsonSchema.JsonSchema
}

const isParameters = Schema.is(
  Schema.Array(Schema.Struct({ name: Schema.String, schema: Schema.Record(Schema.String, Schema.Unknown) }))
)

/** Transforms an operation of the OpenAPI document. */
export const withForms =
  (forms: Forms) =>
  (operation: Record<string, unknown>): Record<string, unknown> => {
    const { parameters } = operation
    const formed = (parameter: Parameter) => {
      const form = forms[parameter.name] ?? {}
      // A repeatable parameter is declared as a text or an array of texts.
      const declared = form["type"] === "array" ? Struct.omit(parameter.schema, ["anyOf"]) : parameter.schema
      return { ...parameter, schema: { ...declared, ...form } }
    }
    return isParameters(parameters) ? { ...operation, parameters: parameters.map(formed) } : operation
  }
