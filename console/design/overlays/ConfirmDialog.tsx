/** Asks before an action. For what is lost for good, a word has to be typed. */
import { type ReactNode, useState } from "react"
import { Button } from "../actions/Button.tsx"
import { Notice } from "../feedback/Notice.tsx"
import { TextField } from "../fields/TextField.tsx"
import { Dialog } from "./Dialog.tsx"

export interface ConfirmDialogProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  /** What happens, and whether it can be taken back. */
  readonly children: ReactNode
  /** The verb, as "Revoke key". */
  readonly action: string
  readonly isDangerous?: boolean
  /** Whether the action has to wait for an entry. */
  readonly isDisabled?: boolean
  /** A text to type before the action, such as an id. */
  readonly typed?: string
  /** Closes the dialog when it succeeds; its error is shown here. */
  readonly onConfirm: () => Promise<unknown>
}

export const ConfirmDialog = ({
  action,
  children,
  isDangerous = false,
  isDisabled = false,
  isOpen,
  onClose,
  onConfirm,
  title,
  typed
}: ConfirmDialogProps) => {
  const [text, setText] = useState("")
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const close = () => {
    setText("")
    setError(null)
    onClose()
  }
  const confirm = () => {
    setRunning(true)
    setError(null)
    onConfirm()
      .then(close, setError)
      .finally(() => setRunning(false))
  }
  const isReady = !isDisabled && (typed === undefined || text === typed)
  return (
    <Dialog
      title={title}
      isOpen={isOpen}
      onClose={close}
      role="alertdialog"
      actions={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button
            kind={isDangerous ? "danger" : "primary"}
            isDisabled={!isReady || isRunning}
            onPress={confirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to go on`}
          value={text}
          onChange={setText}
          autoComplete="off"
          isMono
        />
      )}
      {error !== null && <Notice kind="alarm" error={error} />}
    </Dialog>
  )
}
