/** A filter of a list. It takes effect when its field is left, or with Enter. */
import { useEffect, useState } from "react"
import { TextField } from "#console/design/fields/TextField.tsx"

export const FilterField = ({
  errorOf = () => null,
  label,
  onChange,
  placeholder,
  value
}: {
  readonly label: string
  readonly placeholder: string
  /** Empty: no filter. */
  readonly value: string
  /** What is wrong with a text, which then does not take effect. */
  readonly errorOf?: (text: string) => string | null
  readonly onChange: (text: string) => void
}) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const trimmed = text.trim()
  const error = trimmed === "" ? null : errorOf(trimmed)
  const apply = () => {
    if (error === null && trimmed !== value) onChange(trimmed)
  }
  return (
    <TextField
      label={label}
      isOptional
      isMono
      placeholder={placeholder}
      value={text}
      onChange={setText}
      error={error}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === "Enter") apply()
      }}
    />
  )
}
