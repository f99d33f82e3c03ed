/** The frame of a view: its heading, which takes the focus after a navigation, what can be done, and its content. */
import { type ReactNode, useEffect, useRef } from "react"
import classes from "./Layout.module.css"

export const Page = ({
  actions,
  children,
  lead,
  title,
  titleView
}: {
  /** Also the title of the window. */
  readonly title: string
  /** The heading, where it is more than a text. */
  readonly titleView?: ReactNode
  /** A sentence on what the view shows. */
  readonly lead?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} – inferlog`
  }, [title])
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <div className={classes["page"]}>
      <div className={classes["head"]}>
        <div className={classes["heading"]}>
          <h1 ref={heading} tabIndex={-1}>
            {titleView ?? title}
          </h1>
          {lead !== undefined && <p className={classes["lead"]}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={classes["actions"]}>{actions}</div>}
      </div>
      {children}
    </div>
  )
}
