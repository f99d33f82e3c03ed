/** Something that is on or off, in force at once. */
import { Switch as AriaSwitch, type SwitchProps as AriaSwitchProps } from "react-aria-components"
import type { ReactNode } from "react"
import classes from "./Field.module.css"

export const Switch = ({
  children,
  ...rest
}: Omit<AriaSwitchProps, "className" | "style" | "children"> & { readonly children: ReactNode }) => (
  <AriaSwitch {...rest} className={classes["switch"] ?? ""}>
    <span className={classes["track"]} aria-hidden />
    {children}
  </AriaSwitch>
)
