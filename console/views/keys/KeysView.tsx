/** The keys of the account: what they may do, when they were used, and how to create, rotate and revoke them. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useRouteContext, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import { missingScope } from "#console/api/Session.ts"
import { call } from "#console/api/Client.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"
import { CreateKeyDialog } from "./CreateKeyDialog.tsx"
import { KeyTable } from "./KeyTable.tsx"
import type { ApiKey } from "./Keys.ts"
import { RotateKeyDialog } from "./RotateKeyDialog.tsx"
import { SecretDialog } from "./SecretDialog.tsx"

const perPage = 50

type Asked =
  | { readonly what: "create" }
  | { readonly what: "rotate" | "revoke"; readonly key: ApiKey }
  | { readonly what: "secret"; readonly key: ApiKey; readonly secret: string; readonly note: string }

export const KeysView = () => {
  const { account } = useRouteContext({ from: "/shell/account" })
  const refusal = missingScope(account, "keys:admin")
  return (
    <Page
      title="Keys"
      lead="Programs use a key to call the API. Each may do what its scopes say, and its secret is shown once."
    >
      {refusal === null ? (
        <Keys ownId={account.keyId} />
      ) : (
        <Notice kind="warning" title="Your key may not administer keys">
          {refusal} Sign in with a key that has it, or with the account and its password.
        </Notice>
      )}
    </Page>
  )
}

const Keys = ({ ownId }: { readonly ownId: string }) => {
  const { page = 1 } = useSearch({ from: "/shell/account/keys" })
  const navigate = useNavigate({ from: "/keys" })
  const client = useQueryClient()
  const [asked, setAsked] = useState<Asked | null>(null)
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...apiQuery("listKeys", { query: { page: String(page), limit: String(perPage) } }),
    placeholderData: keepPreviousData
  })
  const refresh = () => client.invalidateQueries({ queryKey: keyOf("listKeys") })
  const close = () => setAsked(null)
  const show = (key: ApiKey, secret: string, note: string) => {
    setAsked({ what: "secret", key, secret, note })
    void refresh()
  }
  const revoke = async ({ id }: ApiKey) => {
    await call("revokeKey", { params: { keyId: id } })
    await refresh()
  }
  const pages = data === undefined ? 1 : Math.max(1, data.totalPages)

  return (
    <Stack>
      <Row>
        <Button kind="primary" onPress={() => setAsked({ what: "create" })}>
          Create key
        </Button>
      </Row>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={6} />}
      {data?.data.length === 0 && (
        <EmptyState title="There are no keys on this page">
          Create one, or go back to the first page.
        </EmptyState>
      )}
      {data !== undefined && data.data.length > 0 && (
        <div aria-busy={isPlaceholderData}>
          <KeyTable
            keys={data.data}
            ownId={ownId}
            onRotate={(key) => setAsked({ what: "rotate", key })}
            onRevoke={(key) => setAsked({ what: "revoke", key })}
          />
        </div>
      )}
      {pages > 1 && (
        <Row>
          <Button isDisabled={page <= 1} onPress={() => void navigate({ search: { page: page - 1 } })}>
            Newer
          </Button>
          <span>
            Page {page} of {pages}
          </span>
          <Button isDisabled={page >= pages} onPress={() => void navigate({ search: { page: page + 1 } })}>
            Older
          </Button>
        </Row>
      )}
      {asked?.what === "create" && (
        <CreateKeyDialog
          ownId={ownId}
          onClose={close}
          onCreated={(key) => show(key, key.key, "It is valid at once.")}
        />
      )}
      {asked?.what === "rotate" && (
        <RotateKeyDialog
          apiKey={asked.key}
          isOwn={asked.key.id === ownId}
          onClose={close}
          onRotated={(key, note) => show(key, key.key, note)}
        />
      )}
      {asked?.what === "secret" && (
        <SecretDialog name={asked.key.name} secret={asked.secret} note={asked.note} onClose={close} />
      )}
      <ConfirmDialog
        title={asked?.what === "revoke" ? `Revoke ${asked.key.name}` : "Revoke"}
        isOpen={asked?.what === "revoke"}
        onClose={close}
        action="Revoke key"
        isDangerous
        onConfirm={() => (asked?.what === "revoke" ? revoke(asked.key) : Promise.resolve())}
      >
        <p>
          Programs that use this key are refused from now on. This cannot be taken back. Requests that it has
          submitted go on.
        </p>
        {asked?.what === "revoke" && asked.key.id === ownId && (
          <Notice kind="warning">You are signed in with this key: you are signed out with it.</Notice>
        )}
      </ConfirmDialog>
    </Stack>
  )
}
