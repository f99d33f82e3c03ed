/** A short state of something. Its words tell it, not its colour alone. */
import type { ReactNode } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Feedback.module.css"

export type BadgeKind = "neutral" | "good" | "info" | "warning" | "alarm"

export const Badge = ({
  children,
  kind = "neutral"
}: {
  readonly children: ReactNode
  readonly kind?: BadgeKind
}) => <span className={classNames(classes["badge"], classes[kind])}>{children}</span>
