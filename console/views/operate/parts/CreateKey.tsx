/** Asks for the name and the other fields of a new key, and creates it. */
import { type FormEvent, type ReactNode, useId, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import type { Made } from "./KeyList.tsx"

export const CreateKey = ({
  children,
  create,
  onClose,
  onMade
}: {
  /** Further fields, each with its `name`. */
  readonly children: ReactNode
  readonly create: (name: string, fields: FormData) => Promise<Made>
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}) => {
  const form = useId()
  const [name, setName] = useState("")
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const isReady = name.trim() !== "" && !isRunning
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!isReady) return
    setRunning(true)
    setError(null)
    create(name.trim(), new FormData(event.currentTarget))
      .then(onMade, setError)
      .finally(() => setRunning(false))
  }
  return (
    <Dialog
      title="Create a key"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" form={form} isDisabled={!isReady}>
            Create key
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit}>
        <Stack>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            maxLength={100}
            autoComplete="off"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- The dialog was opened to enter it.
            autoFocus
          />
          {children}
          {error !== null && <Notice kind="alarm" error={error} />}
        </Stack>
      </form>
    </Dialog>
  )
}
