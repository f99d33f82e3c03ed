/** Objects, with optional fields folded; variants; and names of further fields. */
import type {
  FieldTemplateProps,
  MultiSchemaFieldTemplateProps,
  ObjectFieldTemplateProps,
  WrapIfAdditionalTemplateProps
} from "@rjsf/utils"
import { ADDITIONAL_PROPERTY_FLAG } from "@rjsf/utils"
import { useState } from "react"
import type { Json, JsonObject } from "#domain/CanonicalJson.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { isRecord } from "#console/views/result/JsonShape.ts"
import * as FieldKind from "./FieldKind.ts"
import classes from "./Form.module.css"

/** Marks the field, so that the first one with an error can be found. */
export const FieldTemplate = (props: FieldTemplateProps) => (
  <div
    data-field={props.id}
    data-invalid={(props.rawErrors?.length ?? 0) > 0 || undefined}
    hidden={props.hidden === true}
  >
    <AdditionalTemplate {...props}>{props.children}</AdditionalTemplate>
  </div>
)

export const AdditionalTemplate = ({
  children,
  disabled,
  label,
  onKeyRename,
  onRemoveProperty,
  schema
}: WrapIfAdditionalTemplateProps) => {
  const [name, setName] = useState(label)
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <>{children}</>
  return (
    <div className={classes["further"]}>
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        onBlur={() => onKeyRename(name)}
        isDisabled={disabled === true}
      />
      {children}
      <Button kind="quiet" size="small" onPress={() => onRemoveProperty()} aria-label={`Remove ${name}`}>
        Remove
      </Button>
    </div>
  )
}

const exampleOf = (context: unknown, path: ReadonlyArray<string | number>): Json | undefined => {
  let at: unknown =
    typeof context === "object" && context !== null && "example" in context ? context.example : undefined
  for (const key of path) at = typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined
  return at as Json | undefined
}

const hasAny = (value: unknown, names: ReadonlyArray<string>) =>
  typeof value === "object" && value !== null && names.some((name) => Reflect.get(value, name) !== undefined)

export const ObjectTemplate = ({
  description,
  errorSchema,
  fieldPathId,
  formData,
  onAddProperty,
  properties,
  registry,
  schema,
  title
}: ObjectFieldTemplateProps) => {
  const own: JsonObject = { ...schema } as JsonObject
  const { more } = FieldKind.orderOf(own, exampleOf(registry.formContext, fieldPathId.path))
  const isRoot = fieldPathId.path.length === 0
  const folded = properties.filter(({ name }) => more.includes(name))
  const [isOpen, setOpen] = useState(() => hasAny(formData, more))
  const isShown = isOpen || hasAny(errorSchema, more)
  const content = (
    <Stack>
      {properties.filter(({ name }) => !more.includes(name)).map(({ content }) => content)}
      {folded.length > 0 && (
        <details
          className={classes["more"]}
          open={isShown}
          onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
        >
          <summary>
            More options <span className={classes["hint"]}>({folded.length})</span>
          </summary>
          <Stack>{folded.map(({ content }) => content)}</Stack>
        </details>
      )}
      {isRecord(own["additionalProperties"]) && (
        <div>
          <Button size="small" onPress={() => onAddProperty()}>
            Add a field
          </Button>
        </div>
      )}
    </Stack>
  )
  if (isRoot) return content
  return (
    <fieldset className={classes["object"]}>
      <legend>{title}</legend>
      {typeof description === "string" && description !== "" && (
        <p className={classes["hint"]}>{description}</p>
      )}
      {content}
    </fieldset>
  )
}

export const VariantsTemplate = ({ optionSchemaField, selector }: MultiSchemaFieldTemplateProps) => (
  <div className={classes["variants"]}>
    {selector}
    {optionSchemaField}
  </div>
)
