/** A link to a file of the server that the browser saves, so that it never is in the memory of the page. */
import type { ReactNode } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Button.module.css"

export const DownloadLink = ({
  children,
  file,
  href,
  size = "usual"
}: {
  readonly children: ReactNode
  readonly href: string
  /** The name of the saved file. */
  readonly file: string
  readonly size?: "usual" | "small"
}) => (
  <a
    href={href}
    download={file}
    className={classNames(classes["button"], classes["usual"], size === "small" && classes["small"])}
  >
    {children}
  </a>
)
