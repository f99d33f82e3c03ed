/** A field for a number. What is typed counts at once, so that it is sent with a shortcut, too. */
import { useState } from "react"
import { TextField, type TextFieldProps } from "./TextField.tsx"

/** `undefined` for an empty field, the text for what is not a number, and for an integer that JavaScript would round. */
const valueOf = (text: string): number | string | undefined => {
  const trimmed = text.trim()
  if (trimmed === "") return undefined
  const number = Number(trimmed)
  const isRounded = Number.isInteger(number) && !Number.isSafeInteger(number) && /^-?\d+$/.test(trimmed)
  return Number.isFinite(number) && !isRounded ? number : trimmed
}

const textOf = (value: number | string | undefined): string => (value === undefined ? "" : String(value))

export const NumberField = ({
  isInteger = false,
  onChange,
  value,
  ...rest
}: Omit<TextFieldProps, "value" | "onChange" | "type" | "inputMode" | "rows"> & {
  /** A text is what was typed and is not a number. */
  readonly value: number | string | undefined
  readonly onChange: (value: number | string | undefined) => void
  readonly isInteger?: boolean
}) => {
  const [text, setText] = useState(textOf(value))
  // What is typed stays as it is, such as `1.` or `1e3`, while it means the value.
  const shown = valueOf(text) === value ? text : textOf(value)
  return (
    <TextField
      {...rest}
      inputMode={isInteger ? "numeric" : "decimal"}
      autoComplete="off"
      value={shown}
      onChange={(typed) => {
        setText(typed)
        onChange(valueOf(typed))
      }}
    />
  )
}
