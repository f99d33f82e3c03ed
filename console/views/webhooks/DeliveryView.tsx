/** One delivery: where it goes, what became of it, and each attempt as sent and answered. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { getRouteApi, Link, useRouteContext } from "@tanstack/react-router"
import { useMemo } from "react"
import { call } from "#console/api/Client.ts"
import { apiQuery, keyOf } from "#console/api/Queries.ts"
import { missingScope } from "#console/api/Session.ts"
import type { AnswerOf } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Attempts } from "./Attempts.tsx"
import { DeliveryStatus, errorText } from "./DeliveryStatus.tsx"
import { useLiveDeliveries } from "./Live.ts"

const route = getRouteApi("/shell/account/webhooks/$deliveryId")

type Delivery = AnswerOf<"getDelivery">

const factsOf = (delivery: Delivery) => [
  { name: "Status", value: <DeliveryStatus status={delivery.status} /> },
  { name: "Receiver", value: delivery.url },
  { name: "Event", value: delivery.event },
  {
    name: "Request",
    value: <Link to={`/requests/${delivery.requestId}` as "/requests"}>{delivery.requestId}</Link>
  },
  { name: "Created", value: <Time at={delivery.createdAt} /> },
  {
    name: "Delivered",
    value: delivery.deliveredAt === null ? "Not yet" : <Time at={delivery.deliveredAt} />
  },
  {
    name: "Next attempt",
    value: delivery.nextAttemptAt === null ? "None" : <Time at={delivery.nextAttemptAt} form="relative" />
  },
  { name: "Last problem", value: errorText(delivery.lastError) || "None" }
]

export const DeliveryView = () => {
  const { deliveryId } = route.useParams()
  const { account } = useRouteContext({ from: "/shell/account" })
  const client = useQueryClient()
  const delivery = useQuery(apiQuery("getDelivery", { params: { deliveryId } }))
  const shown = useMemo(() => (delivery.data === undefined ? [] : [delivery.data]), [delivery.data])
  useLiveDeliveries(shown)
  const replay = useMutation({
    mutationFn: () => call("replayDelivery", { params: { deliveryId } }),
    onSettled: () => client.invalidateQueries({ queryKey: keyOf("getDelivery") })
  })
  return (
    <Page
      title={`Delivery ${deliveryId}`}
      titleView={<>Delivery {deliveryId}</>}
      actions={
        <Button
          refusal={missingScope(account, "webhooks:write")}
          isDisabled={replay.isPending || delivery.data?.status === "delivering"}
          onPress={() => replay.mutate()}
        >
          Send again
        </Button>
      }
    >
      {replay.isError && <Notice kind="alarm" title="It is not sent again" error={replay.error} />}
      {delivery.isError ? (
        <ErrorState error={delivery.error} onRetry={() => void delivery.refetch()} />
      ) : delivery.data === undefined ? (
        <Skeleton lines={6} label="Loading the delivery" />
      ) : (
        <>
          <Section title="Delivery">
            <Facts facts={factsOf(delivery.data)} />
          </Section>
          <Attempts delivery={delivery.data} />
        </>
      )}
    </Page>
  )
}
