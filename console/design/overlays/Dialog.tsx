/** A dialog over the page. It takes the focus, and gives it back when it closes. Escape closes it. */
import type { ReactNode } from "react"
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from "react-aria-components"
import { Button } from "../actions/Button.tsx"
import { classNames } from "../classNames.ts"
import classes from "./Overlays.module.css"

export interface DialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly children: ReactNode
  /** The buttons at the end. "Close" without them. */
  readonly actions?: ReactNode
  /** `side`: a sheet at the end of the window, for menus on narrow windows and details. */
  readonly form?: "middle" | "wide" | "side"
  /** `alertdialog`: asks before something that cannot be taken back. */
  readonly role?: "dialog" | "alertdialog"
}

export const Dialog = ({
  actions,
  children,
  form = "middle",
  isOpen,
  onClose,
  role = "dialog",
  title
}: DialogProps) => (
  <ModalOverlay
    className={classes["veil"] ?? ""}
    isOpen={isOpen}
    onOpenChange={(open) => {
      if (!open) onClose()
    }}
    isDismissable={role === "dialog"}
  >
    <Modal className={classNames(classes["modal"], classes[form])}>
      <AriaDialog role={role} className={classes["dialog"] ?? ""}>
        <Heading slot="title" level={2} className={classes["title"] ?? ""}>
          {title}
        </Heading>
        <div className={classes["body"]}>{children}</div>
        <div className={classes["actions"]}>{actions ?? <Button onPress={onClose}>Close</Button>}</div>
      </AriaDialog>
    </Modal>
  </ModalOverlay>
)
