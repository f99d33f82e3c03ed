/** Shows a new secret, once. */
import { Button } from "#console/design/actions/Button.tsx"
import { Code } from "#console/design/data/Code.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"

export const SecretDialog = ({
  name,
  note,
  onClose,
  secret
}: {
  readonly name: string
  readonly secret: string
  /** From when on it is valid, and what becomes of the one before. */
  readonly note: string
  readonly onClose: () => void
}) => (
  <Dialog
    title={`The key ${name}`}
    isOpen
    onClose={onClose}
    // Not closed by a click beside it: the secret would be lost.
    role="alertdialog"
    actions={
      <Button kind="primary" onPress={onClose}>
        I have kept it
      </Button>
    }
  >
    <Notice kind="warning">Copy the key now: it is not shown again. {note}</Notice>
    <Code label="key" text={secret} isWrapped />
  </Dialog>
)
