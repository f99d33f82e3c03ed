/** A table of at most some hundreds of rows. On narrow windows each row is a card whose values have their column's name. */
import type { ReactNode } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Table.module.css"

export interface Column<Row> {
  readonly id: string
  readonly header: string
  readonly cell: (row: Row) => ReactNode
  /** Figures are aligned at the end. */
  readonly align?: "start" | "end"
  /** The first column names the row (`th`), unless another one does. */
  readonly isRowHeader?: boolean
}

export const Table = <Row,>({
  caption,
  columns,
  rowKey,
  rows
}: {
  /** What the table shows, for screen readers. */
  readonly caption: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly rowKey: (row: Row) => string
}) => {
  const header = columns.find(({ isRowHeader }) => isRowHeader === true)?.id ?? columns[0]?.id
  return (
    <div className={classes["frame"]}>
      <table className={classes["table"]}>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ align = "start", header, id }) => (
              <th key={id} scope="col" className={classNames(classes[align])}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ align = "start", cell, header: name, id }) =>
                id === header ? (
                  <th key={id} scope="row" data-label={name} className={classNames(classes[align])}>
                    {cell(row)}
                  </th>
                ) : (
                  <td key={id} data-label={name} className={classNames(classes[align])}>
                    {cell(row)}
                  </td>
                )
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
