/** A link that looks like a button: it leads somewhere, and changes nothing. */
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Button.module.css"

interface Look {
  readonly kind?: "primary" | "usual" | "quiet"
  readonly size?: "usual" | "small"
}

const Anchor = ({
  children,
  kind = "usual",
  size = "usual",
  ...rest
}: AnchorHTMLAttributes<HTMLAnchorElement> & Look) => (
  <a {...rest} className={classNames(classes["button"], classes[kind], size === "small" && classes["small"])}>
    {children}
  </a>
)

export const LinkButton = createLink(Anchor)
