/** The form's validator: interprets the schema, because the page's policy forbids `eval`, which Ajv needs. */
import {
  ErrorSchemaBuilder,
  type RJSFSchema,
  type RJSFValidationError,
  type ValidatorType
} from "@rjsf/utils"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { isRecord } from "#console/views/result/JsonShape.ts"
import * as InputData from "./InputData.ts"
import * as InputIssues from "./InputIssues.ts"

/** As the form stores errors: below their fields. */
export const errorSchemaOf = (issues: ReadonlyArray<InputIssues.InputIssue>) => {
  const builder = new ErrorSchemaBuilder<unknown>()
  for (const { message, path } of issues) builder.addErrors(message, path.map(String))
  return builder.ErrorSchema
}

const errorOf = ({ message, path }: InputIssues.InputIssue): RJSFValidationError => ({
  message,
  stack: message,
  property: `.${path.join(".")}`
})

/** Parts of a schema refer to the definitions of the whole. */
const withDefinitions = (schema: JsonObject, root: JsonObject): JsonObject => {
  const { $defs, definitions } = root
  return { ...(isRecord($defs) && { $defs }), ...(isRecord(definitions) && { definitions }), ...schema }
}

const combined = new WeakMap<object, JsonObject>()

const combinedOf = (schema: JsonObject, root: JsonObject): JsonObject => {
  const made = combined.get(schema) ?? withDefinitions(schema, root)
  combined.set(schema, made)
  return made
}

/** @param input the model's own schema, against which the whole form is judged. */
export const make = (input: JsonObject): ValidatorType<unknown> => ({
  validateFormData: (data) => {
    const issues = InputIssues.of(input, InputData.of(data ?? {}))
    return { errors: issues.map(errorOf), errorSchema: errorSchemaOf(issues) }
  },
  isValid: (schema: RJSFSchema, data, root: RJSFSchema) => {
    if (data === undefined) return Object.keys(schema).length === 0
    try {
      return InputIssues.validatorOf(combinedOf(schema, root)).validate(InputData.of(data)).valid
    } catch {
      return false
    }
  },
  rawValidation: () => ({ errors: [] })
})
