/** The attempts of a delivery, newest first, of which one is open with its request and response. */
import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { apiQuery } from "#console/api/Queries.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { errorText } from "./DeliveryStatus.tsx"
import { Exchange } from "./Exchange.tsx"

const route = getRouteApi("/shell/account/webhooks/$deliveryId")

type Delivery = AnswerOf<"getDelivery">
type Attempt = Delivery["attemptHistory"][number] & { readonly number: number }

const triggers: Readonly<Record<Attempt["trigger"], string>> = {
  schedule: "Schedule",
  replay: "Sent again",
  recover: "Recovery"
}

/** Newest first, with their numbers. The server knows the last hundred. */
const attemptsOf = ({ attemptHistory, attempts }: Delivery): ReadonlyArray<Attempt> =>
  attemptHistory
    .map((attempt, index) => ({ ...attempt, number: attempts - attemptHistory.length + index + 1 }))
    .toReversed()

export const Attempts = ({ delivery }: { readonly delivery: Delivery }) => {
  const { attempt: chosen } = route.useSearch()
  const navigate = route.useNavigate()
  const attempts = attemptsOf(delivery)
  const open = attempts.find(({ number }) => number === chosen) ?? attempts[0]
  const columns: ReadonlyArray<Column<Attempt>> = [
    {
      id: "number",
      header: "Attempt",
      cell: ({ number }) => (
        <Button
          size="small"
          kind={number === open?.number ? "usual" : "quiet"}
          aria-pressed={number === open?.number}
          aria-label={`Show attempt ${number}`}
          onPress={() => void navigate({ search: { attempt: number }, replace: true, resetScroll: false })}
        >
          {number}
        </Button>
      )
    },
    { id: "at", header: "Time", cell: ({ at }) => <Time at={at} /> },
    { id: "trigger", header: "Cause", cell: ({ trigger }) => triggers[trigger] },
    {
      id: "answer",
      header: "Answer",
      cell: ({ durationMs, error, responseStatus }) =>
        error === null ? (responseStatus ?? (durationMs === null ? "Under way" : "–")) : errorText(error)
    },
    {
      id: "duration",
      header: "Duration",
      align: "end",
      cell: ({ durationMs }) => (durationMs === null ? "–" : <Duration ms={durationMs} />)
    }
  ]
  return (
    <>
      <Section title="Attempts">
        {attempts.length === 0 ? (
          <EmptyState title="Not sent yet" />
        ) : (
          <Table
            caption="Attempts"
            columns={columns}
            rows={attempts}
            rowKey={({ number }) => String(number)}
          />
        )}
      </Section>
      {open !== undefined && <OneAttempt deliveryId={delivery.id} attempt={open} />}
    </>
  )
}

const OneAttempt = ({ attempt, deliveryId }: { readonly attempt: Attempt; readonly deliveryId: string }) => {
  const { durationMs, number, responseStatus } = attempt
  // Read anew when the attempt ends.
  const query = apiQuery("getDeliveryAttempt", { params: { deliveryId, attempt: String(number) } })
  const found = useQuery({ ...query, queryKey: [...query.queryKey, durationMs, responseStatus] })
  return (
    <Section
      title={`Attempt ${number} as sent`}
      lead="Timestamp and signature are made again for this view, from the time of the attempt and the secrets that are valid now."
    >
      {found.isError ? (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      ) : found.data === undefined ? (
        <Skeleton lines={8} label="Loading the attempt" />
      ) : (
        <Exchange exchange={found.data} />
      )}
    </Section>
  )
}
