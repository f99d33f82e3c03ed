/** Budgets of keys, and what of them this month has used. */
import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { apiQuery } from "#console/api/Queries.ts"
import { LinkButton } from "#console/design/actions/LinkButton.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { amountOf, nanosOf } from "#console/design/data/Nanos.ts"
import { useKeys } from "./KeyNames.ts"

interface Budget {
  readonly id: string
  readonly name: string
  /** USD */
  readonly limit: string
  readonly spent: string
  readonly fraction: number
}

const thisMonth = () => {
  const now = new Date()
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
  return { start, granularity: "month", groupBy: "key" }
}

const columns: ReadonlyArray<Column<Budget>> = [
  { id: "key", header: "Key", cell: ({ name }) => name },
  { id: "spent", header: "Charged", align: "end", cell: ({ spent }) => <Money amount={spent} /> },
  { id: "limit", header: "Budget", align: "end", cell: ({ limit }) => <Money amount={limit} /> },
  {
    id: "used",
    header: "Used",
    cell: ({ fraction, name }) => (
      <ProgressBar
        label={`Used of the budget of ${name}`}
        isLabelShown={false}
        fraction={Math.min(1, fraction)}
      />
    )
  }
]

export const Budgets = () => {
  const { isAllowed, keys, list } = useKeys()
  const query = useMemo(thisMonth, [])
  const usage = useQuery({ ...apiQuery("getUsage", { query }), enabled: isAllowed })
  if (!isAllowed) return null
  const spent = new Map<string, bigint>()
  for (const { cost, keyId = "" } of usage.data?.data ?? [])
    spent.set(keyId, (spent.get(keyId) ?? 0n) + nanosOf(cost))
  const budgets = list.flatMap(({ id, monthlyBudget, name, revokedAt }): ReadonlyArray<Budget> => {
    if (monthlyBudget === null || revokedAt !== null) return []
    const cost = spent.get(id) ?? 0n
    const limit = nanosOf(monthlyBudget)
    const fraction = limit === 0n ? 1 : Number((cost * 10_000n) / limit) / 10_000
    return [{ id, name, limit: monthlyBudget, spent: amountOf(cost), fraction }]
  })
  const error = keys.error ?? usage.error
  const retry = () => void Promise.all([keys.refetch(), usage.refetch()])
  return (
    <Section
      title="Budgets of keys"
      lead="What each key was charged this month (UTC). Requests under way count too when a key submits."
      actions={<LinkButton to="/keys">Manage keys</LinkButton>}
    >
      {error !== null ? (
        <ErrorState error={error} onRetry={retry} />
      ) : keys.data === undefined || usage.data === undefined ? (
        <Skeleton label="Loading the budgets" />
      ) : budgets.length === 0 ? (
        <EmptyState title="No key has a budget">Give a key a monthly budget when you create it.</EmptyState>
      ) : (
        <Table caption="Budgets of keys" columns={columns} rows={budgets} rowKey={({ id }) => id} />
      )}
    </Section>
  )
}
