/** Deliveries, newest first, live. */
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query"
import { getRouteApi, Link } from "@tanstack/react-router"
import { useMemo, useState } from "react"
import { call } from "#console/api/Client.ts"
import { keyOf } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Select } from "#console/design/fields/Select.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import { DeliveryStatus, errorText } from "./DeliveryStatus.tsx"
import { useLiveDeliveries } from "./Live.ts"
import { RecoverDialog } from "./RecoverDialog.tsx"
import { events, statuses, type WebhooksSearch } from "./WebhooksSearch.ts"

const route = getRouteApi("/shell/account/webhooks")

type Delivery = AnswerOf<"listDeliveries">["data"][number]

const columns: ReadonlyArray<Column<Delivery>> = [
  {
    id: "id",
    header: "Delivery",
    cell: ({ id }) => (
      <Link to="/webhooks/$deliveryId" params={{ deliveryId: id }}>
        {id}
      </Link>
    )
  },
  { id: "status", header: "Status", cell: ({ status }) => <DeliveryStatus status={status} /> },
  { id: "event", header: "Event", cell: ({ event }) => <Badge>{event}</Badge> },
  { id: "url", header: "Receiver", cell: ({ url }) => url },
  { id: "attempts", header: "Attempts", align: "end", cell: ({ attempts }) => attempts },
  {
    id: "last",
    header: "Last answer",
    cell: ({ lastError, lastResponseStatus }) =>
      lastError === null ? (lastResponseStatus ?? "–") : errorText(lastError)
  },
  {
    id: "next",
    header: "Created",
    cell: ({ createdAt, nextAttemptAt }) => (
      <>
        <Time at={createdAt} />
        {nextAttemptAt !== null && (
          <>
            , next <Time at={nextAttemptAt} form="relative" />
          </>
        )}
      </>
    )
  }
]

const names = { pending: "Pending", delivering: "Sending", delivered: "Delivered", failed: "Failed" } as const

const useDeliveries = ({ event, requestId, status }: WebhooksSearch) => {
  const filter = {
    ...(status !== undefined && { status }),
    ...(event !== undefined && { event }),
    ...(requestId !== undefined && { requestId })
  }
  return useInfiniteQuery({
    queryKey: [...keyOf("listDeliveries"), "all", filter],
    queryFn: ({ pageParam, signal }) =>
      call("listDeliveries", {
        query: { ...filter, limit: "50", ...(pageParam !== null && { cursor: pageParam }) },
        signal
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData
  })
}

export const Deliveries = () => {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const [isRecovering, setRecovering] = useState(false)
  const deliveries = useDeliveries(search)
  const rows = useMemo(() => deliveries.data?.pages.flatMap(({ data }) => data) ?? [], [deliveries.data])
  useLiveDeliveries(rows)
  const change = (name: "status" | "event", value: string) => {
    const { [name]: _, ...rest } = search
    void navigate({ search: value === "all" ? rest : { ...rest, [name]: value }, replace: true })
  }
  return (
    <Stack>
      <Row align="end" gap={2}>
        <Select
          label="Status"
          value={search.status ?? "all"}
          choices={[
            { value: "all", label: "All" },
            ...statuses.map((value) => ({ value, label: names[value] }))
          ]}
          onChange={(value) => change("status", value)}
        />
        <Select
          label="Event"
          value={search.event ?? "all"}
          choices={[{ value: "all", label: "All" }, ...events.map((value) => ({ value, label: value }))]}
          onChange={(value) => change("event", value)}
        />
        {search.requestId !== undefined && (
          <Button
            aria-label={`Show all requests, not only ${search.requestId}`}
            onPress={() => {
              const { requestId: _, ...rest } = search
              void navigate({ search: rest, replace: true })
            }}
          >
            {search.requestId} ✕
          </Button>
        )}
        <Button onPress={() => setRecovering(true)}>Send failed ones again</Button>
      </Row>
      <RecoverDialog isOpen={isRecovering} onClose={() => setRecovering(false)} />
      {deliveries.isError ? (
        <ErrorState error={deliveries.error} onRetry={() => void deliveries.refetch()} />
      ) : deliveries.data === undefined ? (
        <Skeleton lines={8} label="Loading the deliveries" />
      ) : rows.length === 0 ? (
        <EmptyState title="No deliveries">
          Submit a request with <code>webhook</code>, or remove a filter. Test a receiver to see what it gets.
        </EmptyState>
      ) : (
        <Table caption="Deliveries of webhooks" columns={columns} rows={rows} rowKey={({ id }) => id} />
      )}
      {deliveries.hasNextPage && (
        <Row>
          <Button isDisabled={deliveries.isFetchingNextPage} onPress={() => void deliveries.fetchNextPage()}>
            Show more
          </Button>
        </Row>
      )}
    </Stack>
  )
}
