/** The nodes: whether they are well, and what they run. */
import { useQuery } from "@tanstack/react-query"
import type { AdminAnswer } from "#console/api/Types.ts"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge, type BadgeKind } from "#console/design/feedback/Badge.tsx"
import { Notice } from "#console/design/feedback/Notice.tsx"
import { Facts } from "#console/design/layout/Facts.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Section } from "#console/design/layout/Section.tsx"
import { topics, useLive } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"

type Node = AdminAnswer<"listNodes">["data"][number]
type ModelRuns = Node["models"][number]

const states: Readonly<Record<Node["state"], readonly [string, BadgeKind]>> = {
  ready: ["Ready", "good"],
  starting: ["Starting", "info"],
  unwell: ["Unwell", "alarm"],
  gone: ["Gone", "neutral"],
  unknown: ["Other release", "neutral"]
}

const runsColumns: ReadonlyArray<Column<ModelRuns>> = [
  { id: "model", header: "Model", cell: ({ model }) => <code>{model}</code> },
  { id: "runs", header: "Runs", align: "end", cell: ({ runs }) => runs },
  { id: "share", header: "Its share of the limit", align: "end", cell: ({ share }) => share.toLocaleString() }
]

const lagOf = ({ projections }: Node): string => {
  const late = projections.filter(({ behind }) => behind !== null && behind > 0)
  if (projections.length === 0) return "–"
  return late.length === 0
    ? "up to date"
    : late.map(({ behind, name }) => `${name} ${behind?.toLocaleString()} behind`).join(", ")
}

const One = ({ node }: { readonly node: Node }) => {
  const [label, kind] = states[node.state]
  const { address, health, isSelf, lastHeartbeatAt, models, nodeId, release, runs, startedAt } = node
  return (
    <Section
      title={nodeId}
      lead={isSelf ? "Answers this page" : undefined}
      actions={<Badge kind={kind}>{label}</Badge>}
    >
      {health.map(({ code, message, since }) => (
        <Notice key={code} kind="alarm" title={code}>
          <p>{message}</p>
          {since !== null && (
            <p>
              Since <Time at={since} />
            </p>
          )}
        </Notice>
      ))}
      <Facts
        facts={[
          { name: "Address", value: address === null ? "–" : <code>{address}</code> },
          { name: "Release", value: release ?? "–" },
          { name: "Started", value: startedAt === null ? "–" : <Time at={startedAt} /> },
          { name: "Last heartbeat", value: <Time at={lastHeartbeatAt} form="relative" /> },
          { name: "Runs", value: runs ?? "–" },
          { name: "Read models", value: lagOf(node) }
        ]}
      />
      {models.length > 0 && (
        <Table
          caption={`Runs of ${nodeId}`}
          columns={runsColumns}
          rows={models}
          rowKey={({ model }) => model}
        />
      )}
    </Section>
  )
}

export const NodesView = () => {
  const connection = useLive("nodes")
  const query = useQuery(topics.nodes)
  return (
    <Page
      title="Nodes"
      lead="That were heard of in the last ten minutes."
      actions={<LiveBadge connection={connection} />}
    >
      <Loaded query={query}>{({ data }) => data.map((node) => <One key={node.nodeId} node={node} />)}</Loaded>
    </Page>
  )
}
