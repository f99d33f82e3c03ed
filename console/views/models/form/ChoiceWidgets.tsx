/** Choices, switches and values that are fixed. */
import type { WidgetProps } from "@rjsf/utils"
import { Checkbox, CheckboxGroup } from "#console/design/fields/Checkbox.tsx"
import { RadioGroup } from "#console/design/fields/RadioGroup.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import classes from "./Form.module.css"
import * as WidgetParts from "./WidgetParts.ts"

const unset = "unset"

/** Whether it chooses between variants of the schema, instead of values of the input. */
const isSelectorOf = (id: string) => id.endsWith("_select")

/** By their places, because values may be of any type. */
const choicesOf = ({ id, options, schema }: WidgetProps) =>
  (options.enumOptions ?? []).map(({ label, value }, index) => ({
    value: String(index),
    label: value === schema.default && !isSelectorOf(id) ? `${label} (default)` : label
  }))

const chosenOf = ({ options, value }: WidgetProps): string | null => {
  const index = (options.enumOptions ?? []).findIndex((option) => option.value === value)
  return index === -1 ? null : String(index)
}

const choose = ({ onChange, options }: WidgetProps, key: string) =>
  onChange(options.enumOptions?.[Number(key)]?.value)

const shown = (props: WidgetProps) => {
  const { error, hint, isDisabled, label } = WidgetParts.of(props)
  return { error, hint, isDisabled, label }
}

export const RadioWidget = (props: WidgetProps) => (
  <RadioGroup
    {...shown(props)}
    choices={choicesOf(props)}
    value={chosenOf(props)}
    onChange={(key) => choose(props, key)}
  />
)

export const ChoiceWidget = (props: WidgetProps) => {
  const { isOptional } = WidgetParts.of(props)
  const { hint, ...rest } = shown(props)
  // The selector of variants belongs to no field of the schema, and always has a choice.
  const isSelector = isSelectorOf(props.id)
  const isClearable = isOptional && props.value !== undefined && !isSelector
  const { default: usual } = isSelector ? {} : props.schema
  const none = isClearable ? [{ value: unset, label: "Not set" }] : []
  return (
    <Select
      {...rest}
      {...(hint === undefined || isSelector ? {} : { hint })}
      label={isOptional && !isSelector ? `${rest.label} (optional)` : rest.label}
      choices={[...none, ...choicesOf(props)]}
      value={chosenOf(props)}
      placeholder={
        usual === undefined
          ? isOptional
            ? "Not set"
            : "Choose"
          : `${JSON.stringify(usual)} (default)`.replaceAll('"', "")
      }
      onChange={(key) => (key === unset ? props.onChange(undefined) : choose(props, key))}
    />
  )
}

export const ChoicesWidget = (props: WidgetProps) => {
  const { error, hint, isDisabled, label } = shown(props)
  const options = props.options.enumOptions ?? []
  const values: ReadonlyArray<unknown> = Array.isArray(props.value) ? props.value : []
  return (
    <CheckboxGroup
      label={label}
      error={error}
      {...(hint === undefined ? {} : { hint })}
      isDisabled={isDisabled}
      value={options.flatMap(({ value }, index) => (values.includes(value) ? [String(index)] : []))}
      onChange={(keys) =>
        props.onChange(options.flatMap(({ value }, index) => (keys.includes(String(index)) ? [value] : [])))
      }
    >
      {options.map(({ label }, index) => (
        <Checkbox key={label} value={String(index)}>
          {label}
        </Checkbox>
      ))}
    </CheckboxGroup>
  )
}

export const SwitchWidget = (props: WidgetProps) => {
  const { error, hint, isDisabled, label } = WidgetParts.of(props)
  const isOn = props.value === undefined ? props.schema.default === true : props.value === true
  return (
    <div className={classes["switch"]}>
      <Switch isSelected={isOn} isDisabled={isDisabled} onChange={(on) => props.onChange(on)}>
        {label}
      </Switch>
      {hint !== undefined && <p className={classes["hint"]}>{hint}</p>}
      {error !== null && <p className={classes["error"]}>{error}</p>}
    </div>
  )
}

/** A value that the schema fixes: it is shown, and filled in when the input begins. */
export const ConstantWidget = ({ label, schema }: WidgetProps) => (
  <p className={classes["constant"]}>
    <span>{label}</span> <code>{JSON.stringify(schema.const)}</code>
  </p>
)
