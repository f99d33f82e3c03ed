/** The browsers that are signed in to the account, or as the operator, and the way to end them. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useRouteContext } from "@tanstack/react-router"
import { useState } from "react"
import {
  endOtherSessions,
  endSession,
  type Holder,
  type ListedSession,
  missingScope,
  type Session,
  sessionsQuery
} from "#console/api/Session.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { ConfirmDialog } from "#console/design/overlays/ConfirmDialog.tsx"

export const SessionsView = () => {
  const { session } = useRouteContext({ from: "/shell" })
  const { data, error, refetch } = useQuery(sessionsQuery)
  const { account, operator } = session
  return (
    <Page
      title="Sessions"
      lead="Where you are signed in to the console. A session ends by itself, and with the key or password that opened it."
    >
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && account !== null && (
        <Sessions
          holder="account"
          title={`Account ${account.accountId}`}
          note={
            missingScope(account, "keys:admin") === null
              ? null
              : "Only sessions with the same key are shown, because your key lacks the scope keys:admin."
          }
          sessions={data.account}
        />
      )}
      {data !== undefined && operator !== null && (
        <OperatorSessions operator={operator} sessions={data.operator} />
      )}
    </Page>
  )
}

const OperatorSessions = ({
  operator,
  sessions
}: {
  readonly operator: NonNullable<Session["operator"]>
  readonly sessions: ReadonlyArray<ListedSession>
}) =>
  operator.kind === "sso" ? (
    <Section title={`Operator ${operator.name}`}>
      <Notice>
        You are signed in with single sign-on until <Time at={operator.expiresAt} />. An owner can end all
        sessions of a person under Operate.
      </Notice>
    </Section>
  ) : (
    <Sessions holder="operator" title={`Operator ${operator.name}`} note={null} sessions={sessions} />
  )

const openers = {
  key: "Key",
  password: "Password",
  operator_key: "Operator key"
} as const

const Sessions = ({
  holder,
  note,
  sessions,
  title
}: {
  readonly holder: Holder
  readonly title: string
  readonly note: string | null
  readonly sessions: ReadonlyArray<ListedSession>
}) => {
  const client = useQueryClient()
  const [ending, setEnding] = useState<ListedSession | "others" | null>(null)
  const others = sessions.filter(({ current }) => !current)
  const end = async () => {
    await (ending === "others" || ending === null
      ? endOtherSessions(holder)
      : endSession(holder, ending.sessionId))
    await client.invalidateQueries(sessionsQuery)
  }

  const columns: ReadonlyArray<Column<ListedSession>> = [
    {
      id: "browser",
      header: "Browser",
      cell: ({ browser, current }) => (
        <Row>
          {browser}
          {current && <Badge kind="good">This browser</Badge>}
        </Row>
      )
    },
    {
      id: "by",
      header: "Signed in with",
      cell: ({ by, keyId }) => (
        <Row>
          {openers[by]}
          {by === "key" && keyId !== null && <Id id={keyId} what="key id" isShort />}
        </Row>
      )
    },
    { id: "opened", header: "Since", cell: ({ openedAt }) => <Time at={openedAt} form="relative" /> },
    { id: "expires", header: "Ends", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: "end",
      header: "Action",
      align: "end",
      cell: (session) =>
        session.current ? null : (
          <Button size="small" onPress={() => setEnding(session)} aria-label={`End ${session.browser}`}>
            End
          </Button>
        )
    }
  ]

  return (
    <Section
      title={title}
      isPlain
      {...(note === null ? {} : { lead: note })}
      actions={
        others.length > 0 && (
          <Button kind="danger" onPress={() => setEnding("others")}>
            End all others
          </Button>
        )
      }
    >
      <Table
        caption={`Sessions: ${title}`}
        columns={columns}
        rows={sessions}
        rowKey={({ sessionId }) => sessionId}
      />
      <ConfirmDialog
        title={ending === "others" ? "End all other sessions" : "End the session"}
        isOpen={ending !== null}
        onClose={() => setEnding(null)}
        action={ending === "others" ? "End them" : "End session"}
        isDangerous
        onConfirm={end}
      >
        <p>
          {ending === "others"
            ? `Signs out ${others.length} ${others.length === 1 ? "browser" : "browsers"} at once. This browser stays signed in.`
            : "Signs that browser out at once. Whoever has the key or password can sign in again."}
        </p>
      </ConfirmDialog>
    </Section>
  )
}
