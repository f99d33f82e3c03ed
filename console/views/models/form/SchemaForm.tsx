/** A form for a model's input, made from its schema. */
// The root of the package imports a validator that needs `eval`.
import Form from "@rjsf/core/lib/components/Form.js"
import { useMemo } from "react"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import * as FormSchema from "./FormSchema.ts"
import * as FormValidator from "./FormValidator.ts"
import * as InputData from "./InputData.ts"
import type { InputIssue } from "./InputIssues.ts"
import { fields, templates, widgets } from "./Theme.tsx"

export interface SchemaFormProps {
  readonly schema: JsonObject
  readonly value: Json
  readonly onChange: (value: Json) => void
  /** Shown at their fields. */
  readonly issues: ReadonlyArray<InputIssue>
  /** A valid input; its fields stand first. */
  readonly example: Json
  readonly isDisabled?: boolean
}

/** Only what is filled in is sent: the model knows its defaults. */
const defaults = {
  emptyObjectFields: "skipDefaults",
  arrayMinItems: { populate: "never" },
  requiredBooleanDefault: "skip",
  constAsDefaults: "never"
} as const

export const SchemaForm = ({
  example,
  isDisabled = false,
  issues,
  onChange,
  schema,
  value
}: SchemaFormProps) => {
  const drawn = useMemo(() => FormSchema.of(schema), [schema])
  const validator = useMemo(() => FormValidator.make(schema), [schema])
  const extraErrors = useMemo(() => FormValidator.errorSchemaOf(issues), [issues])
  const context = useMemo(() => ({ example }), [example])
  return (
    <Form
      tagName="div"
      idPrefix="input"
      schema={drawn.schema}
      uiSchema={drawn.uiSchema}
      validator={validator}
      formData={value}
      formContext={context}
      fields={fields}
      templates={templates}
      widgets={widgets}
      disabled={isDisabled}
      noValidate
      extraErrors={extraErrors}
      showErrorList={false}
      experimental_defaultFormStateBehavior={defaults}
      onChange={({ formData }) => onChange(InputData.of(formData ?? {}))}
    >
      {/* The view has the button. */}
      <></>
    </Form>
  )
}
