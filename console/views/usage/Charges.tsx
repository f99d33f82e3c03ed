/** Charges over time by model or key: chosen in the URL, drawn, summed up, and saved as CSV. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { useMemo } from "react"
import { csvOf } from "#console/api/Csv.ts"
import { saveFile } from "#console/api/SaveFile.ts"
import { apiQuery } from "#console/api/Queries.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { UsageChart } from "./UsageChart.tsx"
import { ChargesFilter } from "./ChargesFilter.tsx"
import type { Usage } from "./Grouping.ts"
import { queryOf } from "./UsageSearch.ts"

const route = getRouteApi("/shell/account/usage")

const columns = ["bucket", "keyId", "modelEndpoint", "unit", "quantity", "requests", "cost", "currency"]

const saveCsv = ({ currency, data, end, granularity, start }: Usage) => {
  const rows = data.map((row) => [
    row.bucket,
    row.keyId ?? "",
    row.modelEndpoint,
    row.unit,
    row.quantity,
    String(row.requests),
    row.cost,
    currency
  ])
  const name = `usage-by-${granularity}-${start.slice(0, 10)}-to-${end.slice(0, 10)}.csv`
  saveFile(name, "text/csv", csvOf([columns, ...rows]))
}

export const Charges = () => {
  const search = route.useSearch()
  // The time of the first look at this choice, so that the query stays the same.
  const query = useMemo(() => queryOf(search, Date.now()), [search])
  const usage = useQuery({ ...apiQuery("getUsage", { query }), placeholderData: keepPreviousData })
  return (
    <Section
      title="Charges"
      actions={
        <Button
          isDisabled={usage.data === undefined || usage.data.data.length === 0}
          onPress={() => usage.data !== undefined && saveCsv(usage.data)}
        >
          Download CSV
        </Button>
      }
    >
      <ChargesFilter />
      <Content usage={usage.data} error={usage.error} onRetry={() => void usage.refetch()} />
    </Section>
  )
}

const Content = ({
  error,
  onRetry,
  usage
}: {
  readonly usage: Usage | undefined
  readonly error: unknown
  readonly onRetry: () => void
}) => {
  if (error !== null) return <ErrorState error={error} onRetry={onRetry} />
  if (usage === undefined) return <Skeleton lines={6} label="Loading the charges" />
  if (usage.data.length === 0) {
    return (
      <EmptyState title="Nothing was charged in this time">
        Choose a longer time, or run a model: its cost appears here as soon as it has ended.
      </EmptyState>
    )
  }
  return <UsageChart usage={usage} />
}
