/** The workers that call any node. */
import { useQuery } from "@tanstack/react-query"
import type { AdminAnswer } from "#console/api/Types.ts"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { topics, useLive } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { WorkerKeys } from "./WorkerKeys.tsx"

type Worker = AdminAnswer<"listConnectedWorkers">["data"][number]

const states: Readonly<Record<Worker["state"], readonly [string, BadgeKind]>> = {
  working: ["Working", "good"],
  waiting: ["Waiting", "info"],
  between: ["Between calls", "neutral"],
  gone: ["Gone", "warning"]
}

const State = ({ state }: Worker) => {
  const [label, kind] = states[state]
  return <Badge kind={kind}>{label}</Badge>
}

const columns: ReadonlyArray<Column<Worker>> = [
  { id: "worker", header: "Worker", cell: ({ keyId, workerId }) => <code>{workerId ?? keyId}</code> },
  { id: "state", header: "State", cell: State },
  { id: "models", header: "Models", cell: ({ models }) => models?.join(", ") ?? "all of its key" },
  { id: "jobs", header: "Jobs", align: "end", cell: ({ jobs }) => jobs },
  { id: "waiting", header: "Waiting calls", align: "end", cell: ({ waiting }) => waiting },
  { id: "last", header: "Last call", cell: ({ lastCallAt }) => <Time at={lastCallAt} form="relative" /> },
  { id: "version", header: "Version", cell: ({ version }) => version ?? "–" },
  { id: "key", header: "Key", cell: ({ keyId }) => <code>{keyId}</code> },
  { id: "node", header: "Node", cell: ({ nodeId }) => <code>{nodeId}</code> }
]

export const WorkersView = () => {
  const connection = useLive("workers")
  const query = useQuery(topics.workers)
  return (
    <Page
      title="Workers"
      lead="That call any node, or did in the last ten minutes."
      actions={<LiveBadge connection={connection} />}
    >
      <Loaded query={query}>
        {({ data, omitted }) => (
          <>
            {omitted > 0 && (
              <Notice>{omitted} more workers did not fit into the reports of their nodes.</Notice>
            )}
            {data.length === 0 ? (
              <EmptyState title="No worker calls">
                Workers take jobs of models whose provider is <code>pull</code>. Create a key for one below,
                and start it with that.
              </EmptyState>
            ) : (
              <Table
                caption="Workers"
                columns={columns}
                rows={data}
                rowKey={({ keyId, nodeId, version, workerId, ...rest }) =>
                  [nodeId, keyId, workerId, version, rest.models].join(" ")
                }
              />
            )}
          </>
        )}
      </Loaded>
      <WorkerKeys />
    </Page>
  )
}
