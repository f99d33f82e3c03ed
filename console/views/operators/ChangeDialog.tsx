/** The dialogs that change operators. A new key is shown once. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf } from "#console/api/Queries.ts"
import type { OperatorSession } from "#console/api/Session.ts"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { SecretDialog } from "#console/views/keys/SecretDialog.tsx"
import type { Operator } from "./OperatorsView.tsx"
import type { Person } from "./People.tsx"

type Role = OperatorSession["role"]

export type Change =
  | { readonly type: "create" }
  | { readonly type: "role" | "rotate" | "revoke"; readonly operator: Operator }
  | ({ readonly type: "endSessions" } & Person)

const roles: ReadonlyArray<{ readonly value: Role; readonly label: string }> = [
  { value: "viewer", label: "viewer: reads, without payloads and secrets" },
  { value: "operator", label: "operator: also runs the service" },
  { value: "auditor", label: "auditor: proves the log and the books, changes nothing" },
  { value: "owner", label: "owner: everything, also money and operators" }
]

/** At the end of the chosen day, UTC; `null`: never. */
const endOf = (day: string): string | null => (day === "" ? null : `${day}T23:59:59Z`)

interface NewKey {
  readonly name: string
  readonly secret: string
}

export const ChangeDialog = ({
  change,
  onClose
}: {
  readonly change: Change | null
  readonly onClose: () => void
}) => {
  const [key, setKey] = useState<NewKey | null>(null)
  if (key !== null) {
    return <SecretDialog {...key} note="Rotating gives a new one." onClose={() => setKey(null)} />
  }
  // Another dialog has other fields, so it begins anew.
  return change === null ? null : <Form key={change.type} change={change} onClose={onClose} onKey={setKey} />
}

const Form = ({
  change,
  onClose,
  onKey
}: {
  readonly change: Change
  readonly onClose: () => void
  /** Called first, because the key is not to be had again. */
  readonly onKey: (key: NewKey) => void
}) => {
  const client = useQueryClient()
  const [name, setName] = useState("")
  const [role, setRole] = useState<Role>("operator" in change ? change.operator.role : "viewer")
  const [day, setDay] = useState("")
  const done = async () => {
    await client.invalidateQueries({ queryKey: adminKeyOf("listOperators") })
    await client.invalidateQueries({ queryKey: adminKeyOf("listActions") })
  }
  const expiry = (
    <TextField
      label="Expires at the end of (UTC)"
      isOptional
      hint="Without it, the key is valid until it is revoked."
      type="date"
      value={day}
      onChange={setDay}
    />
  )
  const roleField = <Select label="Role" choices={roles} value={role} onChange={setRole} />
  const usual = { isOpen: true, onClose }
  switch (change.type) {
    case "create":
      return (
        <ConfirmDialog
          {...usual}
          title="Create operator"
          action="Create"
          isDisabled={name.trim() === ""}
          onConfirm={async () => {
            const made = await admin("createOperator", { name: name.trim(), role, expiresAt: endOf(day) })
            onKey({ name: name.trim(), secret: made.key })
            void done()
          }}
        >
          <Stack>
            <TextField label="Name" hint="Actions are recorded under it." value={name} onChange={setName} />
            {roleField}
            {expiry}
          </Stack>
        </ConfirmDialog>
      )
    case "role":
      return (
        <ConfirmDialog
          {...usual}
          title={`Change the role of ${change.operator.name}`}
          action="Change role"
          onConfirm={() => admin("changeRole", { operatorId: change.operator.operatorId, role }).then(done)}
        >
          <Stack>
            {roleField}
            <p>In force with its next call.</p>
          </Stack>
        </ConfirmDialog>
      )
    case "rotate":
      return (
        <ConfirmDialog
          {...usual}
          title={`Rotate the key of ${change.operator.name}`}
          action="Rotate key"
          onConfirm={async () => {
            const { operatorId } = change.operator
            const made = await admin("rotateOperator", { operatorId, expiresAt: endOf(day) })
            onKey({ name: change.operator.name, secret: made.key })
            void done()
          }}
        >
          <Stack>
            <Notice kind="warning">The key in use ends at once, and so do its sessions here.</Notice>
            {expiry}
          </Stack>
        </ConfirmDialog>
      )
    case "revoke":
      return (
        <ConfirmDialog
          {...usual}
          title={`Revoke ${change.operator.name}`}
          action="Revoke"
          isDangerous
          typed={change.operator.operatorId}
          onConfirm={() => admin("revokeOperator", { operatorId: change.operator.operatorId }).then(done)}
        >
          <p>Its key ends at once and for good. What it did stays on the log.</p>
        </ConfirmDialog>
      )
    case "endSessions":
      return (
        <ConfirmDialog
          {...usual}
          title={`End the sessions of ${change.name}`}
          action="End sessions"
          isDangerous
          onConfirm={() => admin("endSessions", { operatorId: change.operatorId }).then(done)}
        >
          <p>On every node. The person can sign in again while the issuer gives a role.</p>
        </ConfirmDialog>
      )
  }
}
