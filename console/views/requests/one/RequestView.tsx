/** One request: what it is, what went in and came out, its logs, and everything that happened to it, as it happens. */
import { Link, useParams, useRouteContext } from "@tanstack/react-router"
import { Id } from "#console/design/data/Id.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { ErrorState } from "#console/design/feedback/ErrorState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Skeleton } from "#console/design/feedback/Skeleton.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { Grid, Row } from "#console/design/layout/Stack.tsx"
import { StatusBadge } from "../StatusBadge.tsx"
import { TroubleView } from "../TroubleView.tsx"
import { TimelineSection } from "../timeline/TimelineSection.tsx"
import { Actions } from "./Actions.tsx"
import { Logs } from "./Logs.tsx"
import { Input, Output } from "./Payload.tsx"
import { linesOf, partsOf, type RetrievedRequest, useRequest } from "./UseRequest.ts"
import classes from "./One.module.css"

export const RequestView = () => {
  const { requestId } = useParams({ from: "/shell/account/requests/$requestId" })
  // Another request is another view, with its own focus.
  return <One key={requestId} id={requestId} />
}

const One = ({ id }: { readonly id: string }) => {
  const { account, session } = useRouteContext({ from: "/shell/account/requests/$requestId" })
  const { change, connection, isOpen, renew, request, timeline } = useRequest(id)
  const found = request.data
  if (found === undefined) {
    return (
      <Page title="Request" lead={<code>{id}</code>}>
        {request.error === null ? (
          <Skeleton lines={8} label="Loading the request" />
        ) : (
          <ErrorState
            title="The request could not be loaded"
            error={request.error}
            onRetry={() => void request.refetch()}
          />
        )}
      </Page>
    )
  }
  const entries = timeline.data ?? []
  // The stream has new lines first; once it is over, the log has all of them.
  const lines =
    !isOpen || change === null || change.logs.length === 0
      ? linesOf(entries).join("\n")
      : [change.logs].flat().join("\n")
  const isRunning = isOpen && (change?.status ?? found.status) === "IN_PROGRESS"
  return (
    <Page
      title={`Request ${id}`}
      titleView={
        <Row gap={1}>
          <span>{found.modelEndpoint}</span>
          <span role="status" className={classes["status"]}>
            <StatusBadge
              status={isOpen ? (change?.status ?? found.status) : found.status}
              outcome={found.outcome}
            />
          </span>
        </Row>
      }
      actions={<Actions request={found} account={account} urls={session.urls} onDone={renew} />}
    >
      <TroubleView request={found} />
      {isRunning && <ProgressBar label="Running" fraction={entries.at(-1)?.state?.progress ?? null} />}
      {isOpen && connection === "closed" && (
        <Notice kind="warning" title="Not live">
          The connection has ended. Load the page again to follow the request.
        </Notice>
      )}
      <Overview request={found} hold={entries[0]?.data["hold"]} />
      <Grid least="wide">
        <Output request={found} />
        <Input request={found} />
      </Grid>
      <TimelineSection
        entries={entries}
        isLoading={timeline.isPending}
        error={timeline.error}
        onRetry={() => void timeline.refetch()}
        isLive={isOpen}
      />
      <Logs id={id} text={lines} isOpen={isOpen} />
    </Page>
  )
}

const Overview = ({ hold, request }: { readonly request: RetrievedRequest; readonly hold: unknown }) => {
  const {
    billingStatus,
    cost,
    createdAt,
    delayTime,
    erasedAt,
    expiresAt,
    id,
    inferenceTime,
    metadata,
    modelEndpoint
  } = request
  const { modelName: name, ownerName: owner } = partsOf(modelEndpoint)
  const pairs = Object.entries(metadata)
  return (
    <Section title="Overview">
      <Facts
        facts={[
          { name: "Request id", value: <Id id={id} what="request id" /> },
          {
            name: "Model",
            value: (
              <Link to="/models/$owner/$name" params={{ owner, name }}>
                {modelEndpoint}
              </Link>
            )
          },
          { name: "Created", value: <Time at={createdAt} form="exact" /> },
          { name: "Wait", value: <Duration ms={delayTime} /> },
          { name: "Run time", value: <Duration ms={inferenceTime} /> },
          billingStatus === null && typeof hold === "string"
            ? { name: "Held", value: <Money amount={hold} /> }
            : { name: "Cost", value: <Money amount={cost} /> },
          erasedAt === null
            ? { name: "Payloads kept until", value: <Time at={expiresAt} form="exact" /> }
            : { name: "Payloads erased", value: <Time at={erasedAt} form="exact" /> },
          ...pairs.map(([key, value]) => ({
            name: key,
            value: (
              <Link
                to="/requests"
                search={{ [`metadata.${key}`]: value }}
                title={`All requests with ${key}=${value}`}
              >
                {value === "" ? "(empty)" : value}
              </Link>
            )
          }))
        ]}
      />
    </Section>
  )
}
