/** The assistants that are signed in to the account, and the address at which others sign in. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import { call } from "#console/api/Client.ts"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import { missingScope } from "#console/api/Session.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Code } from "#console/design/data/Code.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"

type Assistant = AnswerOf<"listAssistants">["data"][number]

const nameOf = ({ name }: Assistant): string => name ?? "Unnamed assistant"

export const AssistantsView = () => {
  const { account, session } = useRouteContext({ from: "/shell/account" })
  const refusal = missingScope(account, "keys:admin")
  return (
    <Page title="Assistants" lead="Assistants that run models for you by MCP, after you have signed them in.">
      {refusal === null ? (
        <SignedIn />
      ) : (
        <Notice kind="warning" title="Your key may not see assistants">
          {refusal} Sign in with a key that has it, or with the account and its password.
        </Notice>
      )}
      <Section
        title="Connect an assistant"
        lead="Add this address as an MCP server (or “connector”) in the assistant. It opens a page to sign in."
      >
        <Code label="address of the MCP server" text={`${session.urls.mcpUrl}/mcp`} />
      </Section>
    </Page>
  )
}

const SignedIn = () => {
  const { data, error, refetch } = useQuery(apiQuery("listAssistants", {}))
  const client = useQueryClient()
  const [ending, setEnding] = useState<Assistant | null>(null)
  const end = async () => {
    if (ending === null) return
    await call("endAssistant", { params: { assistantId: ending.id } })
    await client.invalidateQueries({ queryKey: keyOf("listAssistants") })
  }

  const columns: ReadonlyArray<Column<Assistant>> = [
    { id: "name", header: "Assistant", cell: nameOf },
    {
      id: "with",
      header: "Signed in with",
      cell: ({ signedInWith }) => (signedInWith === "key" ? "Key" : "Password, with a key of its own")
    },
    { id: "key", header: "Acts under", cell: ({ keyId }) => <Id id={keyId} what="key id" isShort /> },
    { id: "since", header: "Since", cell: ({ signedInAt }) => <Time at={signedInAt} form="relative" /> },
    {
      id: "actions",
      header: "Actions",
      align: "end",
      cell: (assistant) => (
        <Button
          size="small"
          onPress={() => setEnding(assistant)}
          aria-label={`Sign out ${nameOf(assistant)}`}
        >
          Sign out
        </Button>
      )
    }
  ]

  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  return (
    <>
      {data.data.length === 0 ? (
        <EmptyState title="No assistant is signed in">Connect one with the address below.</EmptyState>
      ) : (
        <Table
          caption="Assistants that are signed in"
          columns={columns}
          rows={data.data}
          rowKey={({ id }) => id}
        />
      )}
      <ConfirmDialog
        title={ending === null ? "Sign out" : `Sign out ${nameOf(ending)}`}
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        action="Sign out"
        isDangerous
        onConfirm={end}
      >
        <p>
          It can do nothing more for this account until you sign it in again.
          {ending?.signedInWith === "password" && " The key that was made for it is revoked."}
        </p>
      </ConfirmDialog>
    </>
  )
}
