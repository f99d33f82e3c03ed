/** One request of any account: its facts, and its events as they are on the log. Inputs and outputs are shown on demand, and recorded. */
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { admin } from "#console/api/Client.ts"
import { adminQuery } from "#console/api/Queries.ts"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Button } from "#console/design/actions/Button.tsx"
import { Code } from "#console/design/data/Code.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { Id } from "#console/design/data/Id.tsx"
import { Json } from "#console/design/data/Json.tsx"
import { Money } from "#console/design/data/Money.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { StatusBadge } from "#console/views/requests/StatusBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { useRefusal } from "../parts/Role.ts"

type Shown = AdminAnswer<"showRequest">
type Step = Shown["timeline"][number]
type Payloads = NonNullable<Shown["payloads"]>

const columns: ReadonlyArray<Column<Step>> = [
  { id: "type", header: "Event", cell: ({ type }) => <code>{type}</code> },
  { id: "time", header: "Time", cell: ({ time }) => <Time at={time} form="exact" /> },
  {
    id: "facts",
    header: "Facts",
    cell: ({ facts }) =>
      Object.keys(facts).length === 0 ? "–" : <Json label="Facts of the event" value={facts} open={1} />
  },
  { id: "position", header: "Position", align: "end", cell: ({ position }) => <code>{position}</code> }
]

const Stored = ({ label, payload }: { readonly label: string; readonly payload: Payloads["input"] }) =>
  payload.text === null ? (
    <p>
      {label}: {payload.state}
    </p>
  ) : (
    <>
      <h3>{label}</h3>
      <Code label={label} text={payload.text} isWrapped />
    </>
  )

const PayloadSection = ({ requestId }: { readonly requestId: string }) => {
  const refusal = useRefusal("owner")
  const [read, setRead] = useState<Payloads | null>(null)
  const [error, setError] = useState<unknown>(null)
  const show = async () => {
    setError(null)
    try {
      setRead((await admin("showRequest", { requestId, withPayloads: true })).payloads)
    } catch (cause) {
      setError(cause)
    }
  }
  return (
    <Section
      title="Input and output"
      lead="May have personal data: showing them is recorded as an action of yours."
      actions={
        read === null && (
          <Button refusal={refusal} onPress={() => void show()}>
            Show them
          </Button>
        )
      }
    >
      {error !== null && <Notice kind="alarm" error={error} />}
      {read !== null && (
        <>
          <Stored label="Input" payload={read.input} />
          <Stored label="Output" payload={read.output} />
          {read.logs.length > 0 && (
            <Code label="Log lines of the runs" text={read.logs.join("\n")} isWrapped />
          )}
        </>
      )}
    </Section>
  )
}

export const AnyRequestView = () => {
  const { requestId } = useParams({ from: "/shell/operate/area/requests/$requestId" })
  const query = useQuery(adminQuery("showRequest", { requestId }))
  return (
    <Page
      title={`Request ${requestId}`}
      titleView={<>Request</>}
      lead={<Id id={requestId} what="request id" />}
      actions={<Button onPress={() => void query.refetch()}>Read again</Button>}
    >
      <Loaded query={query}>
        {(shown) => (
          <>
            {shown.error !== null && (
              <Notice kind="alarm" title="It failed">
                <p>{shown.error}</p>
              </Notice>
            )}
            <Section title="Facts">
              <Facts
                facts={[
                  { name: "Status", value: <StatusBadge status={shown.status} outcome={shown.outcome} /> },
                  {
                    name: "Model",
                    value: (
                      <Link to="/operate/models" search={{ q: shown.model, all: true }}>
                        {shown.model}
                      </Link>
                    )
                  },
                  {
                    name: "Account",
                    value: (
                      <Link to="/operate/accounts/$accountId" params={{ accountId: shown.accountId }}>
                        {shown.accountId}
                      </Link>
                    )
                  },
                  { name: "Key", value: <code>{shown.keyId}</code> },
                  { name: "Runs", value: shown.runs },
                  { name: "Created", value: <Time at={shown.createdAt} /> },
                  { name: "Ended", value: shown.endedAt === null ? "–" : <Time at={shown.endedAt} /> },
                  { name: "Last run", value: <Duration ms={shown.inferenceMs} /> },
                  { name: "Cost", value: <Money amount={shown.billing?.amount ?? null} /> }
                ]}
              />
            </Section>
            <Section title="Events on the log" isPlain>
              <Table
                caption="Events"
                columns={columns}
                rows={shown.timeline}
                rowKey={({ position, type }) => `${position} ${type}`}
              />
            </Section>
            <PayloadSection requestId={requestId} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
