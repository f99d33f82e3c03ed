/** Which events the journal shows. A filter takes effect when its field is left, or with Enter. */
import { useEffect, useState } from "react"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import { isPosition } from "../chain/LogEvent.ts"
import type { Choice } from "./JournalSearch.ts"

const fields = [
  { name: "type", label: "Type", placeholder: "RequestCompleted" },
  { name: "stream", label: "Stream", placeholder: "InferenceRequest-…" },
  { name: "after", label: "After position", placeholder: "0" },
  { name: "until", label: "Up to position", placeholder: "1200" }
] as const

export const Filters = ({
  choice,
  onChange
}: {
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}) => (
  <Grid least="narrow">
    {fields.map(({ label, name, placeholder }) => (
      <Filter
        key={name}
        label={label}
        placeholder={placeholder}
        value={choice[name] ?? ""}
        isPlace={name === "after" || name === "until"}
        onChange={(text) => {
          const { [name]: _, ...rest } = choice
          onChange(text === "" ? rest : { ...rest, [name]: text })
        }}
      />
    ))}
  </Grid>
)

const Filter = ({
  isPlace,
  label,
  onChange,
  placeholder,
  value
}: {
  readonly label: string
  readonly placeholder: string
  readonly value: string
  readonly isPlace: boolean
  readonly onChange: (text: string) => void
}) => {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  const trimmed = text.trim()
  const isWrong = isPlace && trimmed !== "" && !isPosition(trimmed)
  const apply = () => {
    if (!isWrong && trimmed !== value) onChange(trimmed)
  }
  return (
    <TextField
      label={label}
      isOptional
      isMono
      placeholder={placeholder}
      value={text}
      onChange={setText}
      error={isWrong ? "A position is a number, as the list shows it." : null}
      onBlur={apply}
      onKeyDown={({ key }) => {
        if (key === "Enter") apply()
      }}
    />
  )
}
