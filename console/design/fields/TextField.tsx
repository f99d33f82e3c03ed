/** A field for a text of one or several lines, with its label, hint and error. */
import {
  FieldError,
  Input,
  Label,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps
} from "react-aria-components"
import type { ReactElement, ReactNode } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Field.module.css"

export interface TextFieldProps extends Omit<AriaTextFieldProps, "className" | "style" | "children"> {
  readonly label: string
  readonly hint?: string | undefined
  /** What is wrong, and what to enter. The field is then invalid. */
  readonly error?: string | null | undefined
  readonly placeholder?: string
  /** More than one makes it a text area. */
  readonly rows?: number
  readonly isMono?: boolean
  /** Says "optional" beside the label. */
  readonly isOptional?: boolean
  /** Stands beside the input, such as a slider of the same value. */
  readonly beside?: ReactNode
}

export const TextField = ({
  beside,
  error = null,
  hint,
  isMono = false,
  isOptional = false,
  label,
  placeholder,
  rows = 1,
  ...rest
}: TextFieldProps) => {
  const look = {
    className: classNames(classes["input"], isMono && classes["mono"]),
    ...(placeholder === undefined ? {} : { placeholder })
  }
  return (
    <AriaTextField {...rest} className={classes["field"] ?? ""} isInvalid={error !== null}>
      <Label className={classes["label"] ?? ""}>
        {label}
        {isOptional && <span className={classes["optional"]}> (optional)</span>}
      </Label>
      <Beside beside={beside}>{rows > 1 ? <TextArea {...look} rows={rows} /> : <Input {...look} />}</Beside>
      {hint !== undefined && (
        <Text slot="description" className={classes["hint"] ?? ""}>
          {hint}
        </Text>
      )}
      <FieldError className={classes["error"] ?? ""}>{error}</FieldError>
    </AriaTextField>
  )
}

const Beside = ({ beside, children }: { readonly beside: ReactNode; readonly children: ReactElement }) =>
  beside === undefined ? (
    children
  ) : (
    <div className={classes["beside"]}>
      {children}
      {beside}
    </div>
  )
