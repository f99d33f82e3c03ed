/** One figure with its name, and what stands beside it, such as a sparkline. */
import type { ReactNode } from "react"
import classes from "./Layout.module.css"

export const Stat = ({
  children,
  name,
  note,
  value
}: {
  readonly name: string
  readonly value: ReactNode
  /** What the figure is of, or how it compares. */
  readonly note?: ReactNode
  readonly children?: ReactNode
}) => (
  <div className={classes["stat"]}>
    <div className={classes["quiet"]}>{name}</div>
    <div className={classes["figure"]}>{value}</div>
    {note !== undefined && <div className={classes["note"]}>{note}</div>}
    {children}
  </div>
)
