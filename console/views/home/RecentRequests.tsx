/** The account's last requests. */
import { Link } from "@tanstack/react-router"
import { Duration } from "#console/design/data/Duration.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import type { AnswerOf } from "#console/api/Types.ts"
import { StatusBadge } from "#console/views/requests/StatusBadge.tsx"
import type { useRecentRequests } from "./UseRecentRequests.ts"

type Listed = AnswerOf<"listRequests">["data"][number]

const columns: ReadonlyArray<Column<Listed>> = [
  {
    id: "model",
    header: "Model",
    cell: ({ id, modelEndpoint }) => (
      <Link to="/requests/$requestId" params={{ requestId: id }}>
        {modelEndpoint}
      </Link>
    )
  },
  {
    id: "status",
    header: "Status",
    cell: ({ outcome, status }) => <StatusBadge status={status} outcome={outcome} />
  },
  { id: "created", header: "Created", cell: ({ createdAt }) => <Time at={createdAt} form="relative" /> },
  {
    id: "run",
    header: "Run time",
    align: "end",
    cell: ({ inferenceTime }) => <Duration ms={inferenceTime} />
  },
  {
    id: "cost",
    header: "Cost",
    align: "end",
    cell: ({ billingStatus, cost }) => <Money amount={billingStatus === null ? null : cost} />
  }
]

export const RecentRequests = ({ recent }: { readonly recent: ReturnType<typeof useRecentRequests> }) => {
  const { data, error, refetch } = recent
  if (data !== undefined)
    return <Table caption="Recent requests" columns={columns} rows={data.data} rowKey={({ id }) => id} />
  return error === null ? <Skeleton lines={5} /> : <ErrorState error={error} onRetry={() => void refetch()} />
}
