/** A button. One `primary` in a view at most; `danger` for what cannot be taken back. */
import type { ReactNode } from "react"
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from "react-aria-components"
import { classNames } from "../classNames.ts"
import { Hint } from "../overlays/Hint.tsx"
import classes from "./Button.module.css"

export interface ButtonProps extends Omit<AriaButtonProps, "className" | "children" | "style"> {
  readonly children: ReactNode
  readonly kind?: "primary" | "usual" | "quiet" | "danger"
  readonly size?: "usual" | "small"
  /** Why it cannot be used now. It is disabled, stays in the focus order, and says so. */
  readonly refusal?: string | null | undefined
}

export const Button = ({
  children,
  kind = "usual",
  refusal = null,
  size = "usual",
  ...rest
}: ButtonProps) => {
  const className = classNames(classes["button"], classes[kind], size === "small" && classes["small"])
  if (refusal === null) {
    return (
      <AriaButton {...rest} className={className}>
        {children}
      </AriaButton>
    )
  }
  // `aria-disabled` instead of `disabled`, so that the reason can be reached with the keyboard.
  const { "aria-label": label } = rest
  return (
    <Hint text={refusal}>
      <AriaButton
        {...(label === undefined ? {} : { "aria-label": label })}
        aria-disabled
        className={classNames(className, classes["refused"])}
      >
        {children}
      </AriaButton>
    </Hint>
  )
}
