import type { Column } from "../data/Table.tsx"

/** A column of a `LongTable`. */
export interface LongColumn<Row> extends Column<Row> {
  /** Its track in the grid, such as `8rem` or `minmax(8rem, 1fr)`. */
  readonly width: string
  /** Left out on narrow windows, where a row has two lines of two columns. */
  readonly isMinor?: boolean
}
