/** The models with their queues, limits and waits. */
import { useQuery } from "@tanstack/react-query"
import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import { adminQuery } from "#console/api/Queries.ts"
import { Duration } from "#console/design/data/Duration.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Switch } from "#console/design/fields/Switch.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Row, Stack } from "#console/design/layout/Stack.tsx"
import classes from "../Operate.module.css"
import { CauseLink, words } from "../parts/Causes.tsx"
import { type Queue, topics, useLive } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"

const Why = ({ model, queued, reasons }: Queue) => {
  if (queued === 0) return <span className={classes["quiet"]}>–</span>
  if (reasons.length === 0) return <Badge kind="good">Moving</Badge>
  return (
    <Stack gap="half">
      {reasons.map((reason) => (
        <Row key={`${reason.cause} ${reason.provider}`}>
          <Badge kind={words[reason.cause].kind}>{words[reason.cause].label}</Badge>
          <CauseLink {...reason} models={[model]} />
        </Row>
      ))}
    </Stack>
  )
}

const columns: ReadonlyArray<Column<Queue>> = [
  {
    id: "model",
    header: "Model",
    cell: ({ isWithdrawn, model }) => (
      <Row>
        <code>{model}</code>
        {isWithdrawn && <Badge>Withdrawn</Badge>}
      </Row>
    )
  },
  {
    id: "queued",
    header: "Waiting",
    align: "end",
    cell: ({ model, queued }) =>
      queued === 0 ? (
        0
      ) : (
        <Link to="/operate/requests" search={{ model, status: "IN_QUEUE" }}>
          {queued}
        </Link>
      )
  },
  {
    id: "running",
    header: "Running of limit",
    align: "end",
    cell: ({ concurrency, running }) => `${running} of ${concurrency?.toLocaleString() ?? "–"}`
  },
  {
    id: "first",
    header: "First due",
    cell: ({ firstDueAt }) => (firstDueAt === null ? "–" : <Time at={firstDueAt} form="relative" />)
  },
  {
    id: "wait",
    header: "Wait of a new one",
    align: "end",
    cell: ({ reasons, waitSeconds }) =>
      waitSeconds === null && reasons.length > 0 ? (
        "not known"
      ) : (
        <Duration ms={waitSeconds === null ? null : waitSeconds * 1_000} />
      )
  },
  {
    id: "run",
    header: "Run, median",
    align: "end",
    cell: ({ runSeconds }) => <Duration ms={runSeconds === null ? null : runSeconds * 1_000} />
  },
  { id: "why", header: "Why it waits", cell: Why }
]

export const ModelsView = () => {
  const connection = useLive("queues")
  const { all = false, q = "" } = useSearch({ from: "/shell/operate/area/models" })
  const navigate = useNavigate({ from: "/operate/models" })
  const live = useQuery(topics.queues)
  const whole = useQuery({ ...adminQuery("listQueues", { all: true }), enabled: all })
  const matches = ({ model }: Queue) => model.toLowerCase().includes(q.toLowerCase())
  return (
    <Page
      title="Models"
      lead="Requests of wrappers count for the model that runs."
      actions={<LiveBadge connection={connection} />}
    >
      <div className={classes["filters"]}>
        <TextField
          label="Find"
          type="search"
          value={q}
          onChange={(text) =>
            void navigate({
              search: { ...(text !== "" && { q: text }), ...(all && { all }) },
              replace: true
            })
          }
        />
        <Switch
          isSelected={all}
          onChange={(on) =>
            void navigate({
              search: { ...(q !== "" && { q }), ...(on && { all: true }) },
              replace: true
            })
          }
        >
          Also idle models
        </Switch>
      </div>
      <Loaded query={live}>
        {(busy) => {
          const known = new Set(busy.data.map(({ model }) => model))
          const idle = all ? (whole.data?.data ?? []).filter(({ model }) => !known.has(model)) : []
          const rows = [...busy.data, ...idle].filter(matches)
          return rows.length === 0 ? (
            <EmptyState title={q === "" ? "No model has requests that wait or run" : "No model matches"}>
              Idle models are shown on demand.
            </EmptyState>
          ) : (
            <Table caption="Queues of models" columns={columns} rows={rows} rowKey={({ model }) => model} />
          )
        }}
      </Loaded>
    </Page>
  )
}
