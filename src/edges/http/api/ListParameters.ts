/** Query parameters of lists. Routes parse them as texts; the OpenAPI document describes them by their forms. */
import { type JsonSchema, Schema } from "effect"
import { mostPerPage, usualLimit } from "../requests/PageQuery.ts"

/** The annotation with the form of a parameter: what the OpenAPI document says beside its description. */
export const formKey = "x-form"

const annotations = (description: string, form: JsonSchema.JsonSchema = {}) => ({
  description,
  [formKey]: form
})

export const required = (description: string, form?: JsonSchema.JsonSchema) =>
  Schema.String.annotate(annotations(description, form))

export const text = (description: string, form?: JsonSchema.JsonSchema) =>
  Schema.optionalKey(required(description, form))

/** A parameter that may be repeated. */
export const texts = (description: string, form?: JsonSchema.JsonSchema) =>
  Schema.optionalKey(
    Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate(annotations(description, form))
  )

export const limitForm = { type: "integer", minimum: 1, maximum: mostPerPage, default: usualLimit }

export const page = {
  page: text("From 1.", { type: "integer", minimum: 1, default: 1 }),
  limit: text("Of one page.", limitForm),
  cursor: text("`next` of the page before; in the place of `page`.")
}
