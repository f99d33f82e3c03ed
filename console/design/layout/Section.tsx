/** A part of a view with a heading: a sheet, unless `isPlain`. */
import { type ReactNode, useId } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Layout.module.css"

export const Section = ({
  actions,
  children,
  isPlain = false,
  lead,
  title
}: {
  readonly title: string
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly isPlain?: boolean
  readonly children: ReactNode
}) => {
  const id = useId()
  return (
    <section aria-labelledby={id} className={classNames(classes["section"], !isPlain && classes["sheet"])}>
      <div className={classes["sectionHead"]}>
        <div>
          <h2 id={id}>{title}</h2>
          {lead !== undefined && <p className={classes["quiet"]}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
      </div>
      {children}
    </section>
  )
}
