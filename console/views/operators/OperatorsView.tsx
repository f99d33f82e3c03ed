/** Operators and their keys, for owners. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { missingRole } from "#console/api/Session.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { operateRoute } from "#console/app/Root.tsx"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Menu } from "#console/design/overlays/Menu.tsx"
import { AuditPage } from "../audit/AuditPage.tsx"
import { type Change, ChangeDialog } from "./ChangeDialog.tsx"
import { People } from "./People.tsx"

export type Operator = AdminAnswer<"listOperators">["data"][number]

export const OperatorsView = () => {
  const { operator } = operateRoute.useRouteContext()
  const [change, setChange] = useState<Change | null>(null)
  return (
    <AuditPage
      title="Operators"
      role="owner"
      lead="People and programs that administer the service, each with a key of its own."
      actions={
        <Button
          kind="primary"
          refusal={missingRole(operator, "owner")}
          onPress={() => setChange({ type: "create" })}
        >
          Create operator
        </Button>
      }
    >
      {() => (
        <>
          <List onChange={setChange} />
          <People onEnd={(person) => setChange({ type: "endSessions", ...person })} />
          <ChangeDialog change={change} onClose={() => setChange(null)} />
        </>
      )}
    </AuditPage>
  )
}

const List = ({ onChange }: { readonly onChange: (change: Change) => void }) => {
  const { data, error, isPending, refetch } = useQuery(adminQuery("listOperators", { limit: 1_000 }))
  return (
    <Section title="With a key" isPlain>
      {isPending && <Skeleton />}
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <EmptyState title="No operator has a key" />}
      {data !== undefined && data.data.length > 0 && (
        <Table
          caption="Operators with a key"
          columns={columnsOf(onChange)}
          rows={data.data}
          rowKey={({ operatorId }) => operatorId}
        />
      )}
    </Section>
  )
}

const stateOf = ({ expiresAt, revokedAt }: Operator) => {
  if (revokedAt !== null) return <Badge>revoked</Badge>
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= Date.now()
  return isExpired ? <Badge kind="warning">expired</Badge> : <Badge kind="good">active</Badge>
}

const timeOf = (at: string | null, none: string) => (at === null ? none : <Time at={at} />)

const columnsOf = (onChange: (change: Change) => void): ReadonlyArray<Column<Operator>> => [
  { id: "name", header: "Name", cell: ({ name }) => name },
  { id: "id", header: "Id", cell: ({ operatorId }) => <code>{operatorId}</code> },
  { id: "role", header: "Role", cell: ({ role }) => role },
  { id: "state", header: "Key", cell: stateOf },
  { id: "expires", header: "Expires", cell: ({ expiresAt }) => timeOf(expiresAt, "never") },
  { id: "rotated", header: "Rotated", cell: ({ rotatedAt }) => timeOf(rotatedAt, "–") },
  {
    id: "actions",
    header: "Actions",
    cell: ({ operatorId }) => (
      <Link to="/operate/audit/actions" search={{ operator: operatorId }}>
        Show
      </Link>
    )
  },
  {
    id: "menu",
    header: "Change",
    align: "end",
    cell: (operator) =>
      operator.revokedAt === null ? (
        <Menu
          label={`Change ${operator.name}`}
          trigger="Change"
          entries={[
            { id: "role", label: "Change role", onAction: () => onChange({ type: "role", operator }) },
            { id: "rotate", label: "Rotate key", onAction: () => onChange({ type: "rotate", operator }) },
            {
              id: "revoke",
              label: "Revoke",
              isDangerous: true,
              onAction: () => onChange({ type: "revoke", operator })
            }
          ]}
        />
      ) : (
        "–"
      )
  }
]
