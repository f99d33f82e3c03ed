/** Keys of an account or of workers: create, rotate, revoke. */
import type { UseQueryResult } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { Dialog } from "#console/design/overlays/Dialog.tsx"
import { CreateKey } from "./CreateKey.tsx"
import { Loaded } from "./Loaded.tsx"
import { useRefusal } from "./Role.ts"
import { ShownOnce } from "./ShownOnce.tsx"

interface AnyKey {
  readonly keyId: string
  readonly name: string
  readonly issuedAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

/** The secret, which is shown once. */
export interface Made {
  readonly key: string
}

interface Props<Key> {
  readonly title: string
  readonly lead?: string
  readonly empty: string
  readonly query: UseQueryResult<{ readonly data: ReadonlyArray<Key>; readonly next: string | null }>
  readonly columns: ReadonlyArray<Column<Key>>
  readonly create: (name: string, fields: FormData) => Promise<Made>
  readonly rotate: (keyId: string) => Promise<Made>
  readonly revoke: (keyId: string) => Promise<unknown>
  /** Further fields of a new key, each with its `name`. */
  readonly children: ReactNode
}

const isEnded = ({ expiresAt, revokedAt }: AnyKey): boolean =>
  revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) <= Date.now())

const State = (key: AnyKey) => {
  if (!isEnded(key)) return <Badge kind="good">In force</Badge>
  return <Badge>{key.revokedAt === null ? "Expired" : "Revoked"}</Badge>
}

type Asked<Key> = { readonly what: "create" } | { readonly what: "rotate" | "revoke"; readonly key: Key }

export const KeyList = <Key extends AnyKey>(props: Props<Key>) => {
  const { children, columns, create, empty, query, revoke, rotate, title } = props
  const refusal = useRefusal("operator")
  const [asked, setAsked] = useState<Asked<Key> | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setAsked(null)
  const reread = () => query.refetch()
  const made = ({ key }: Made) => {
    setSecret(key)
    close()
    void reread()
  }
  const chosen = asked !== null && asked.what !== "create" ? asked.key : null
  const action = (what: "rotate" | "revoke", label: string, key: Key) => (
    <Button
      size="small"
      refusal={refusal}
      aria-label={`${label} ${key.name}`}
      onPress={() => setAsked({ what, key })}
    >
      {label}
    </Button>
  )
  const all: ReadonlyArray<Column<Key>> = [
    { id: "name", header: "Key", cell: ({ name }) => name },
    { id: "id", header: "Id", cell: ({ keyId }) => <code>{keyId}</code> },
    { id: "state", header: "State", cell: State },
    { id: "issued", header: "Created", cell: ({ issuedAt }) => <Time at={issuedAt} /> },
    ...columns,
    {
      id: "actions",
      header: "Actions",
      cell: (key) =>
        key.revokedAt === null && (
          <Row>
            {!isEnded(key) && action("rotate", "Rotate", key)}
            {action("revoke", "Revoke", key)}
          </Row>
        )
    }
  ]
  return (
    <Section
      title={title}
      lead={props.lead}
      actions={
        <Button refusal={refusal} onPress={() => setAsked({ what: "create" })}>
          Create a key
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data, next }) => (
          <>
            {next !== null && <Notice>Only the first {data.length.toLocaleString()} keys are shown.</Notice>}
            {data.length === 0 ? (
              <EmptyState title={empty} />
            ) : (
              <Table caption={title} columns={all} rows={data} rowKey={({ keyId }) => keyId} />
            )}
          </>
        )}
      </Loaded>
      {asked?.what === "create" && (
        <CreateKey create={create} onClose={close} onMade={made}>
          {children}
        </CreateKey>
      )}
      <ConfirmDialog
        title={`Rotate ${chosen?.name ?? ""}?`}
        action="Rotate key"
        isOpen={asked?.what === "rotate"}
        onClose={close}
        onConfirm={async () => {
          if (chosen !== null) made(await rotate(chosen.keyId))
        }}
      >
        <p>The key gets a new secret. The previous one stays valid for an hour.</p>
      </ConfirmDialog>
      <ConfirmDialog
        title={`Revoke ${chosen?.name ?? ""}?`}
        action="Revoke key"
        isDangerous
        isOpen={asked?.what === "revoke"}
        onClose={close}
        onConfirm={async () => {
          if (chosen !== null) await revoke(chosen.keyId)
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
