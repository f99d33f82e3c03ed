/** The read models of the node that answers: how far they are, and their rebuilding. */
import { useQuery } from "@tanstack/react-query"
import type { AdminAnswer } from "#console/api/Types.ts"
import { Bytes } from "#console/design/data/Bytes.tsx"
import { Duration } from "#console/design/data/Duration.tsx"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"
import { ProgressBar } from "#console/design/feedback/ProgressBar.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import classes from "../Operate.module.css"
import { topics, useLive } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { fractionOf } from "./Distance.ts"
import { Rebuild } from "./Rebuild.tsx"

type Statuses = AdminAnswer<"listProjections">
type Status = Statuses["projections"][number]

const kinds: Readonly<Record<Status["state"], BadgeKind>> = {
  live: "good",
  "catching up": "warning",
  stopped: "alarm",
  "not running": "neutral",
  "not built": "neutral"
}

const State = ({ name, reason, rebuild, state }: Status) => (
  <Stack gap="half">
    <span>
      <Badge kind={kinds[state]}>{state}</Badge>
    </span>
    {reason !== null && <span className={classes["small"]}>{reason}</span>}
    {rebuild !== null && <ProgressBar label={`Rebuild of ${name}`} fraction={fractionOf(rebuild)} />}
  </Stack>
)

const columns: ReadonlyArray<Column<Status>> = [
  { id: "name", header: "Read model", cell: ({ name }) => <code>{name}</code> },
  { id: "state", header: "State", cell: State },
  { id: "behind", header: "Events behind", align: "end", cell: ({ behind }) => behind.toLocaleString() },
  { id: "lag", header: "Lag", align: "end", cell: ({ lagMs }) => <Duration ms={lagMs} /> },
  { id: "position", header: "Position", align: "end", cell: ({ position }) => <code>{position}</code> },
  { id: "version", header: "Version", align: "end", cell: ({ version }) => version },
  { id: "rebuild", header: "Action", cell: ({ name }) => <Rebuild name={name} /> }
]

export const ProjectionsView = () => {
  const connection = useLive("projections")
  const query = useQuery(topics.projections)
  return (
    <Page
      title="Read models"
      lead="What is derived from the log on the node that answers: queues, lists and balances."
      actions={
        <>
          <Rebuild name={null} />
          <LiveBadge connection={connection} />
        </>
      }
    >
      <Loaded query={query}>
        {({ bytes, file, head, projections }) => (
          <>
            <Facts
              facts={[
                { name: "End of the log", value: <code>{head}</code> },
                { name: "Size", value: <Bytes bytes={bytes} /> },
                { name: "File", value: <code>{file}</code> }
              ]}
            />
            <Table caption="Read models" columns={columns} rows={projections} rowKey={({ name }) => name} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
