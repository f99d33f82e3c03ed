/** Opens an account with its first key. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { useRefusal } from "../parts/Role.ts"
import { ShownOnce } from "../parts/ShownOnce.tsx"

export const OpenAccount = ({
  isOpen,
  onClose
}: {
  readonly isOpen: boolean
  readonly onClose: () => void
}) => {
  const client = useQueryClient()
  const noMoney = useRefusal("owner")
  const [name, setName] = useState("")
  const [balance, setBalance] = useState("")
  const [secret, setSecret] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const close = () => {
    setName("")
    setBalance("")
    setSecret(null)
    setError(null)
    onClose()
  }
  const create = async () => {
    setError(null)
    try {
      const { key } = await admin("openAccount", { name, ...(balance !== "" && { balance }) })
      setSecret(key)
      await client.invalidateQueries({ queryKey: adminKeyOf("listAccounts") })
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Dialog
      title={secret === null ? "Open an account" : "The account is open"}
      isOpen={isOpen}
      onClose={close}
      role={secret === null ? "dialog" : "alertdialog"}
      actions={
        secret === null ? (
          <>
            <Button onPress={close}>Cancel</Button>
            <Button kind="primary" isDisabled={name.trim() === ""} onPress={() => void create()}>
              Open account
            </Button>
          </>
        ) : (
          <Button kind="primary" onPress={close}>
            I have copied the key
          </Button>
        )
      }
    >
      {secret === null ? (
        <>
          <TextField
            label="Name"
            value={name}
            onChange={setName}
            hint="1 to 100 characters, for operators."
          />
          <TextField
            label="Opening balance in USD"
            value={balance}
            onChange={setBalance}
            isOptional
            isDisabled={noMoney !== null}
            inputMode="decimal"
            hint={noMoney ?? "Recorded as a payment."}
          />
          {error !== null && <Notice kind="alarm" error={error} />}
        </>
      ) : (
        <ShownOnce secret={secret} />
      )}
    </Dialog>
  )
}
