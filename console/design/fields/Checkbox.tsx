/** One of several things that may be chosen together. */
import type { ReactNode } from "react"
import {
  Checkbox as AriaCheckbox,
  CheckboxGroup as AriaCheckboxGroup,
  type CheckboxGroupProps,
  type CheckboxProps,
  FieldError,
  Label,
  Text
} from "react-aria-components"
import classes from "./Field.module.css"

export const Checkbox = ({
  children,
  ...rest
}: Omit<CheckboxProps, "className" | "style" | "children"> & { readonly children: ReactNode }) => (
  <AriaCheckbox {...rest} className={classes["box"] ?? ""}>
    <span className={classes["mark"]} aria-hidden />
    <span>{children}</span>
  </AriaCheckbox>
)

export const CheckboxGroup = ({
  children,
  error = null,
  hint,
  label,
  ...rest
}: Omit<CheckboxGroupProps, "className" | "style" | "children"> & {
  readonly children: ReactNode
  readonly label: string
  readonly hint?: string
  readonly error?: string | null
}) => (
  <AriaCheckboxGroup {...rest} className={classes["field"] ?? ""} isInvalid={error !== null}>
    <Label className={classes["label"] ?? ""}>{label}</Label>
    {hint !== undefined && (
      <Text slot="description" className={classes["hint"] ?? ""}>
        {hint}
      </Text>
    )}
    <div className={classes["group"]}>{children}</div>
    <FieldError className={classes["error"] ?? ""}>{error}</FieldError>
  </AriaCheckboxGroup>
)
