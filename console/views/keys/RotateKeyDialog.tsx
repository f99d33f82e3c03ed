/** Gives a key a new secret, and the previous one some time. */
import { useState } from "react"
import { call } from "#console/api/Client.ts"
import { openSession } from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import type { ApiKey, RotatedKey } from "./Keys.ts"

const graces = [
  { value: "0", label: "Not at all" },
  { value: "3600", label: "One hour" },
  { value: "86400", label: "One day" },
  { value: "604800", label: "One week" }
] as const

export const RotateKeyDialog = ({
  apiKey,
  isOwn,
  onClose,
  onRotated
}: {
  readonly apiKey: ApiKey
  /** Whether this session was opened with the key. */
  readonly isOwn: boolean
  readonly onClose: () => void
  readonly onRotated: (key: RotatedKey, note: string) => void
}) => {
  const [grace, setGrace] = useState<(typeof graces)[number]["value"]>("86400")
  const [error, setError] = useState<unknown>(null)
  const [isRunning, setRunning] = useState(false)
  const rotating = async () => {
    const rotated = await call("rotateKey", {
      params: { keyId: apiKey.id },
      payload: { gracePeriodSeconds: Number(grace) }
    })
    // The session has ended with the previous secret. Without another one, the new secret would leave with the view.
    if (isOwn) await openSession({ api_key: rotated.key }).catch(() => {})
    return rotated
  }
  const rotate = () => {
    setRunning(true)
    rotating()
      .then(
        (rotated) =>
          onRotated(
            rotated,
            rotated.previousKeyExpiresAt === null
              ? "The previous secret is not valid any more."
              : "The previous secret stays valid for a while: put this one in its place."
          ),
        setError
      )
      .finally(() => setRunning(false))
  }
  return (
    <Dialog
      title={`Rotate ${apiKey.name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={isRunning} onPress={rotate}>
            Rotate secret
          </Button>
        </>
      }
    >
      <p>The key gets a new secret under the same id, which is valid at once.</p>
      <Select
        label="The previous secret stays valid"
        choices={graces}
        value={grace}
        onChange={setGrace}
        hint="Time to put the new one into your programs."
      />
      {isOwn && (
        <Notice kind="warning">
          You are signed in with this key. This browser stays signed in; other browsers with the key are
          signed out.
        </Notice>
      )}
      {error !== null && <Notice kind="alarm" error={error} />}
    </Dialog>
  )
}
