/** Asks for the name and the other fields of a new key, and creates it. */
import { type ReactNode, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import type { Made } from "./KeyList.tsx"

export const CreateKey = ({
  children,
  create,
  isOpen,
  onClose,
  onMade
}: {
  /** Further fields. */
  readonly children: ReactNode
  readonly create: (name: string) => Promise<Made>
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (made: Made) => void
}) => {
  const [name, setName] = useState("")
  const [error, setError] = useState<unknown>(null)
  const close = () => {
    setError(null)
    onClose()
  }
  const begin = async () => {
    setError(null)
    try {
      const made = await create(name)
      setName("")
      onMade(made)
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Dialog
      title="Create a key"
      isOpen={isOpen}
      onClose={close}
      actions={
        <>
          <Button onPress={close}>Cancel</Button>
          <Button kind="primary" isDisabled={name.trim() === ""} onPress={() => void begin()}>
            Create key
          </Button>
        </>
      }
    >
      <TextField label="Name" value={name} onChange={setName} />
      {children}
      {error !== null && <Notice kind="alarm" error={error} />}
    </Dialog>
  )
}
