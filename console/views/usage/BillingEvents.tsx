/** The journal of the account: every entry with the balance after it, newest first. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useState } from "react"
import { saveFile } from "#console/api/SaveFile.ts"
import { call, pathOf, send } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { moneyText, Money } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Row } from "#console/design/layout/Stack.tsx"
import { kinds } from "./UsageSearch.ts"

const route = getRouteApi("/shell/account/usage")

type Entry = AnswerOf<"listBillingEvents">["data"][number]

const names: Readonly<Record<Entry["type"], string>> = {
  topup: "Top-up",
  hold: "Hold",
  charge: "Charge",
  release: "Release",
  revert: "Revert"
}

const signs: Readonly<Record<Entry["type"], string>> = {
  topup: "+",
  hold: "",
  charge: "−",
  release: "",
  revert: ""
}

const columns: ReadonlyArray<Column<Entry>> = [
  { id: "at", header: "Time", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { id: "type", header: "Entry", cell: ({ type }) => names[type] },
  {
    id: "request",
    header: "Request",
    cell: ({ requestId }) =>
      requestId === null ? "–" : <Link to={`/requests/${requestId}` as "/requests"}>{requestId}</Link>
  },
  { id: "model", header: "Model", cell: ({ modelEndpoint }) => modelEndpoint ?? "–" },
  {
    id: "amount",
    header: "Amount",
    align: "end",
    cell: ({ amount, type }) => `${signs[type]}${moneyText(amount)}`
  },
  {
    id: "balance",
    header: "Balance after",
    align: "end",
    cell: ({ balanceAfter }) => <Money amount={balanceAfter} />
  }
]

const limit = "50"

export const BillingEvents = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { type } = search
  const filter = type === undefined ? {} : { type }
  const [failure, setFailure] = useState<unknown>(null)
  const events = useInfiniteQuery({
    queryKey: [...keyOf("listBillingEvents"), "all", filter],
    queryFn: ({ pageParam, signal }) =>
      call("listBillingEvents", {
        query: { ...filter, limit, ...(pageParam !== null && { cursor: pageParam }) },
        signal
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next
  })
  const download = async () => {
    setFailure(null)
    const response = await send(pathOf("listBillingEvents", { query: filter }), {
      headers: { accept: "text/csv" }
    })
    saveFile("billing-events.csv", "text/csv", await response.blob())
  }
  const entries = events.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <Section
      title="Billing events"
      lead="Holds and releases only change what is available; top-ups and charges change the balance."
      actions={<Button onPress={() => void download().catch(setFailure)}>Download CSV</Button>}
    >
      <Row align="end">
        <Select
          label="Entries"
          value={type ?? "all"}
          choices={[
            { value: "all", label: "All" },
            ...kinds.map((value) => ({ value, label: names[value] }))
          ]}
          onChange={(chosen) => {
            const { type: _, ...rest } = search
            const found = kinds.find((kind) => kind === chosen)
            void navigate({ search: found === undefined ? rest : { ...rest, type: found }, replace: true })
          }}
        />
      </Row>
      {failure !== null && <Notice kind="alarm" error={failure} />}
      {events.isError ? (
        <ErrorState error={events.error} onRetry={() => void events.refetch()} />
      ) : events.data === undefined ? (
        <Skeleton lines={6} label="Loading the billing events" />
      ) : entries.length === 0 ? (
        <EmptyState title="No entries yet">Top-ups, holds and charges appear here.</EmptyState>
      ) : (
        <>
          <Table caption="Billing events" columns={columns} rows={entries} rowKey={({ id }) => id} />
          {events.hasNextPage && (
            <Row>
              <Button isDisabled={events.isFetchingNextPage} onPress={() => void events.fetchNextPage()}>
                Show more
              </Button>
            </Row>
          )}
        </>
      )}
    </Section>
  )
}
