/** A list of flat objects as a table; long ones in steps. */
import { useState } from "react"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Table } from "#console/design/data/Table.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"

/** Rows that are shown at once, and with each step more. */
const step = 100

/** Characters of a cell. The tab with JSON has the rest. */
const longestCell = 300

const cellOf = (row: JsonObject, column: string): string => {
  const value = row[column]
  if (value === undefined || value === null) return "–"
  const text = String(value)
  return text.length > longestCell ? `${text.slice(0, longestCell)}…` : text
}

export const TableView = ({
  caption,
  columns,
  rows
}: {
  readonly caption: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<JsonObject>
}) => {
  const [count, setCount] = useState(step)
  const shown = rows.slice(0, count).map((row, index) => ({ row, index }))
  return (
    <Stack gap={1}>
      <Table
        caption={caption}
        columns={columns.map((column) => ({
          id: column,
          header: column,
          align: rows.slice(0, step).every((row) => typeof row[column] === "number")
            ? ("end" as const)
            : ("start" as const),
          cell: ({ row }: { readonly row: JsonObject }) => cellOf(row, column)
        }))}
        rows={shown}
        rowKey={({ index }) => String(index)}
      />
      {rows.length > count && (
        <div>
          <Button size="small" onPress={() => setCount(count + step)}>
            Show more of {rows.length.toLocaleString()} rows
          </Button>
        </div>
      )}
    </Stack>
  )
}
