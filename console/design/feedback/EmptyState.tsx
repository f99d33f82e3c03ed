/** There is nothing yet, or nothing that matches: says so, and what to do. */
import type { ReactNode } from "react"
import classes from "./Feedback.module.css"

export const EmptyState = ({
  action,
  children,
  title
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) => (
  <div className={classes["empty"]}>
    <p className={classes["emptyTitle"]}>{title}</p>
    {children !== undefined && <div className={classes["emptyText"]}>{children}</div>}
    {action}
  </div>
)
