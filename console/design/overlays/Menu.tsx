/** A button that opens a list of actions or links. */
import type { ReactNode } from "react"
import { Menu as AriaMenu, MenuItem, MenuTrigger, Popover } from "react-aria-components"
import { Button, type ButtonProps } from "../actions/Button.tsx"
import { classNames } from "../classNames.ts"
import classes from "./Overlays.module.css"

export interface MenuEntry {
  readonly id: string
  readonly label: ReactNode
  readonly textValue?: string
  readonly onAction: () => void
  readonly isDangerous?: boolean
  readonly isDisabled?: boolean
}

export const Menu = ({
  entries,
  kind = "quiet",
  label,
  trigger
}: {
  readonly label: string
  readonly trigger: ReactNode
  readonly entries: ReadonlyArray<MenuEntry>
  readonly kind?: NonNullable<ButtonProps["kind"]>
}) => (
  <MenuTrigger>
    <Button kind={kind} aria-label={typeof trigger === "string" ? `${trigger}: ${label}` : label}>
      {trigger}
    </Button>
    <Popover className={classes["popover"] ?? ""} placement="bottom end">
      <AriaMenu className={classes["menu"] ?? ""} aria-label={label}>
        {entries.map(({ id, isDangerous = false, isDisabled = false, label, onAction, textValue }) => (
          <MenuItem
            key={id}
            id={id}
            textValue={textValue ?? (typeof label === "string" ? label : id)}
            isDisabled={isDisabled}
            onAction={onAction}
            className={classNames(classes["item"], isDangerous && classes["dangerous"])}
          >
            {label}
          </MenuItem>
        ))}
      </AriaMenu>
    </Popover>
  </MenuTrigger>
)
