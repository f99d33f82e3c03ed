/** A button that is a picture or a small card: as large as its content. */
import type { ReactNode } from "react"
import { Button } from "react-aria-components"
import { classNames } from "../classNames.ts"
import classes from "./Tile.module.css"

export const Tile = ({
  children,
  kind = "card",
  label,
  onPress
}: {
  readonly children: ReactNode
  readonly onPress: () => void
  /** Its name, where the content does not tell it. */
  readonly label?: string
  /** A `picture` has no room around it. */
  readonly kind?: "card" | "picture"
}) => (
  <Button
    className={classNames(classes["tile"], classes[kind])}
    onPress={onPress}
    {...(label === undefined ? {} : { "aria-label": label })}
  >
    {children}
  </Button>
)
