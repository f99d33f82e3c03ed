/** Things in a column or a row with equal gaps of the grid, and a grid that fits as many columns as there is room for. */
import type { ReactNode } from "react"
import { classNames } from "../classNames.ts"
import classes from "./Layout.module.css"

type Gap = "half" | 1 | 2 | 3 | 4

interface Props {
  readonly children: ReactNode
  readonly gap?: Gap
}

export const Stack = ({ children, gap = 2 }: Props) => (
  <div className={classNames(classes["stack"], classes[`gap-${gap}`])}>{children}</div>
)

/** Wraps onto further lines. */
export const Row = ({
  align = "center",
  children,
  gap = 1
}: Props & { readonly align?: "center" | "end" | "start" }) => (
  <div className={classNames(classes["row"], classes[`gap-${gap}`], classes[`align-${align}`])}>
    {children}
  </div>
)

export const Grid = ({
  children,
  gap = 2,
  least = "usual"
}: Props & {
  /** The least width of a column: 10, 18 or 28 rem. */
  readonly least?: "narrow" | "usual" | "wide"
}) => (
  <div className={classNames(classes["grid"], classes[`gap-${gap}`], classes[`least-${least}`])}>
    {children}
  </div>
)
