/** The account and the period of what is shown, kept in the URL. */
import { TextField } from "#console/design/fields/TextField.tsx"
import { Grid } from "#console/design/layout/Stack.tsx"
import type { Search } from "./BooksSearch.ts"

export const PeriodFields = ({
  onChange,
  search
}: {
  readonly search: Search
  readonly onChange: (search: Search) => void
}) => {
  const change = (name: keyof Search) => (text: string) => {
    const { [name]: _, ...rest } = search
    onChange(text.trim() === "" ? rest : { ...rest, [name]: text.trim() })
  }
  return (
    <Grid>
      <TextField
        label="Account"
        isOptional
        isMono
        placeholder="acc_…"
        value={search.account ?? ""}
        onChange={change("account")}
      />
      <TextField
        label="From the beginning of (UTC)"
        isOptional
        type="date"
        value={search.from ?? ""}
        onChange={change("from")}
      />
      <TextField
        label="Before the beginning of (UTC)"
        isOptional
        type="date"
        value={search.to ?? ""}
        onChange={change("to")}
      />
    </Grid>
  )
}
