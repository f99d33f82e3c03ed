/** A short explanation of its child, on hover and focus. The child must take the focus. Never the only place of a fact. */
import type { ReactElement } from "react"
import { Tooltip, TooltipTrigger } from "react-aria-components"
import classes from "./Overlays.module.css"

export const Hint = ({ children, text }: { readonly children: ReactElement; readonly text: string }) => (
  <TooltipTrigger delay={400} closeDelay={100}>
    {children}
    <Tooltip className={classes["hint"] ?? ""} offset={6}>
      {text}
    </Tooltip>
  </TooltipTrigger>
)
