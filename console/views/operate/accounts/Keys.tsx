/** The API keys of an account: create, rotate, revoke. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminKeyOf, adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { useRefusal } from "../parts/Role.ts"
import { ShownOnce } from "../parts/ShownOnce.tsx"

type Key = AdminAnswer<"listKeys">["data"][number]

/** How long the previous secret stays valid after a rotation, ms. */
const graceMs = 60 * 60 * 1_000

type Asked = { readonly what: "create" } | { readonly what: "rotate" | "revoke"; readonly key: Key }

const State = ({ expiresAt, revokedAt }: Key) => {
  if (revokedAt !== null) return <Badge>Revoked</Badge>
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? (
    <Badge>Expired</Badge>
  ) : (
    <Badge kind="good">In force</Badge>
  )
}

const columns = (refusal: string | null, ask: (asked: Asked) => void): ReadonlyArray<Column<Key>> => [
  { id: "name", header: "Key", cell: ({ name }) => name },
  { id: "id", header: "Id", cell: ({ keyId }) => <code>{keyId}</code> },
  { id: "state", header: "State", cell: State },
  { id: "issued", header: "Created", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
  {
    id: "used",
    header: "Last use",
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? "never" : <Time at={lastUsedAt} form="relative" />)
  },
  {
    id: "actions",
    header: "Actions",
    cell: (key) =>
      key.revokedAt === null && (
        <Row>
          <Button
            size="small"
            refusal={refusal}
            aria-label={`Rotate ${key.name}`}
            onPress={() => ask({ what: "rotate", key })}
          >
            Rotate
          </Button>
          <Button
            size="small"
            refusal={refusal}
            aria-label={`Revoke ${key.name}`}
            onPress={() => ask({ what: "revoke", key })}
          >
            Revoke
          </Button>
        </Row>
      )
  }
]

const CreateKey = ({
  accountId,
  isOpen,
  onClose,
  onMade
}: {
  readonly accountId: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onMade: (secret: string) => void
}) => {
  const [name, setName] = useState("")
  const [error, setError] = useState<unknown>(null)
  const create = async () => {
    setError(null)
    try {
      const { key } = await admin("issueKey", { accountId, name })
      setName("")
      onMade(key)
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Dialog
      title="Create a key"
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button kind="primary" isDisabled={name.trim() === ""} onPress={() => void create()}>
            Create key
          </Button>
        </>
      }
    >
      <TextField
        label="Name"
        value={name}
        onChange={setName}
        hint="The key may do everything that the account may."
      />
      {error !== null && <Notice kind="alarm" error={error} />}
    </Dialog>
  )
}

export const Keys = ({ accountId }: { readonly accountId: string }) => {
  const client = useQueryClient()
  const refusal = useRefusal("operator")
  const query = useQuery(adminQuery("listKeys", { accountId }))
  const [asked, setAsked] = useState<Asked | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setAsked(null)
  const reread = () => client.invalidateQueries({ queryKey: adminKeyOf("listKeys") })
  const made = (key: string) => {
    setSecret(key)
    close()
    void reread()
  }
  const key = asked !== null && asked.what !== "create" ? asked.key : null
  return (
    <Section
      title="Keys"
      actions={
        <Button refusal={refusal} onPress={() => setAsked({ what: "create" })}>
          Create a key
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState title="The account has no key" />
          ) : (
            <Table
              caption="Keys of the account"
              columns={columns(refusal, setAsked)}
              rows={data}
              rowKey={({ keyId }) => keyId}
            />
          )
        }
      </Loaded>
      <CreateKey accountId={accountId} isOpen={asked?.what === "create"} onClose={close} onMade={made} />
      <ConfirmDialog
        title={`Rotate ${key?.name ?? ""}?`}
        action="Rotate key"
        isOpen={asked?.what === "rotate"}
        onClose={close}
        onConfirm={async () => {
          if (key !== null) made((await admin("rotateKey", { keyId: key.keyId, graceMs })).key)
        }}
      >
        <p>The key gets a new secret. The previous one stays valid for an hour.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Revoke ${key?.name ?? ""}?`}
        action="Revoke key"
        isDangerous
        isOpen={asked?.what === "revoke"}
        onClose={close}
        onConfirm={async () => {
          if (key !== null) await admin("revokeKey", { keyId: key.keyId })
          await reread()
        }}
      >
        <p>Calls with it are refused at once and for good.</p>
      </ConfirmDialog>
      <Dialog
        title="The key"
        role="alertdialog"
        isOpen={secret !== null}
        onClose={() => setSecret(null)}
        actions={
          <Button kind="primary" onPress={() => setSecret(null)}>
            I have copied the key
          </Button>
        }
      >
        <ShownOnce secret={secret ?? ""} />
      </Dialog>
    </Section>
  )
}
