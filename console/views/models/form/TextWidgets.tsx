/** Texts and numbers. */
import type { WidgetProps } from "@rjsf/utils"
import { NumberField } from "#console/design/fields/NumberField.tsx"
import { Slider } from "#console/design/fields/Slider.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import * as IssueText from "./IssueText.ts"
import * as WidgetParts from "./WidgetParts.ts"

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value)

const placeholderOf = ({ default: usual }: { readonly default?: unknown }) =>
  usual === undefined ? {} : { placeholder: textOf(usual) }

const textProps = (props: WidgetProps) => {
  const { schema, ...parts } = WidgetParts.of(props)
  return {
    ...parts,
    ...placeholderOf(schema),
    id: props.id,
    value: textOf(props.value),
    onChange: (text: string) => props.onChange(text === "" ? undefined : text)
  }
}

export const LineWidget = (props: WidgetProps) => <TextField {...textProps(props)} autoComplete="off" />

export const LongWidget = (props: WidgetProps) => <TextField {...textProps(props)} rows={4} />

const numberOf = (value: unknown): number | string | undefined =>
  typeof value === "number" || typeof value === "string" ? value : undefined

/** Whether the field has left an integer as text, because JavaScript would round it. */
const isRounded = (value: unknown) => typeof value === "string" && /^\s*-?\d{16,}\s*$/.test(value)

const numberProps = (props: WidgetProps) => {
  const { schema, ...parts } = WidgetParts.of(props)
  return {
    ...parts,
    error: isRounded(props.value) ? IssueText.rounded : parts.error,
    ...placeholderOf(schema),
    id: props.id,
    isInteger: schema["type"] === "integer",
    value: numberOf(props.value),
    onChange: (value: number | string | undefined) => props.onChange(value)
  }
}

export const NumberWidget = (props: WidgetProps) => <NumberField {...numberProps(props)} />

/** Steps that a range without `multipleOf` has. */
const steps = 100

const stepOf = (schema: Readonly<Record<string, unknown>>, range: number): number => {
  const { multipleOf, type } = schema
  if (typeof multipleOf === "number" && multipleOf > 0) return multipleOf
  const step = 10 ** Math.floor(Math.log10(range / steps))
  return type === "integer" ? Math.max(1, step) : step
}

export const SliderWidget = (props: WidgetProps) => {
  const field = numberProps(props)
  const { default: usual, maximum, minimum } = props.schema
  if (typeof minimum !== "number" || typeof maximum !== "number" || maximum <= minimum)
    return <NumberField {...field} />
  const value = typeof field.value === "number" ? field.value : typeof usual === "number" ? usual : minimum
  return (
    <NumberField
      {...field}
      beside={
        <Slider
          label={`${field.label}, by slider`}
          isLabelShown={false}
          least={minimum}
          most={maximum}
          step={stepOf(props.schema, maximum - minimum)}
          value={value}
          text={String(value)}
          onChange={(chosen) => props.onChange(chosen)}
          isDisabled={field.isDisabled}
        />
      }
    />
  )
}
