/** Which events the journal shows. */
import { Grid } from "#console/design/layout/Stack.tsx"
import { isPosition } from "../chain/LogEvent.ts"
import { FilterField } from "../FilterField.tsx"
import type { Choice } from "./JournalSearch.ts"

const positionError = (text: string): string | null =>
  isPosition(text) ? null : "A position is a number, as the list shows it."

const fields = [
  { name: "type", label: "Type", placeholder: "RequestCompleted" },
  { name: "stream", label: "Stream", placeholder: "InferenceRequest-…" },
  { name: "after", label: "After position", placeholder: "0", errorOf: positionError },
  { name: "until", label: "Up to position", placeholder: "1200", errorOf: positionError }
] as const

export const Filters = ({
  choice,
  onChange
}: {
  readonly choice: Choice
  readonly onChange: (choice: Choice) => void
}) => (
  <Grid least="narrow">
    {fields.map(({ name, ...field }) => (
      <FilterField
        key={name}
        {...field}
        value={choice[name] ?? ""}
        onChange={(text) => {
          const { [name]: _, ...rest } = choice
          onChange(text === "" ? rest : { ...rest, [name]: text })
        }}
      />
    ))}
  </Grid>
)
