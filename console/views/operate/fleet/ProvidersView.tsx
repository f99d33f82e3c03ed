/** The providers with their circuits, pauses and last errors, on each node. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { type Column, Table } from "#console/design/data/Table.tsx"
import { Time } from "#console/design/data/Time.tsx"
import { Badge } from "#console/design/feedback/Badge.tsx"
import { EmptyState } from "#console/design/feedback/EmptyState.tsx"
import { TextField } from "#console/design/fields/TextField.tsx"
import { Page } from "#console/design/layout/Page.tsx"
import { Stack } from "#console/design/layout/Stack.tsx"
import classes from "../Operate.module.css"
import { type Provider, topics, useLive } from "../parts/Live.ts"
import { LiveBadge } from "../parts/LiveBadge.tsx"
import { Loaded } from "../parts/Loaded.tsx"
import { ResetButton } from "../parts/ResetButton.tsx"

type OnNode = Provider["nodes"][number]

const isUnreachable = ({ circuit, heldSince, why }: OnNode) =>
  circuit === "closed" && heldSince !== null && why !== null

const State = ({ node }: { readonly node: OnNode | null }) => {
  if (node === null) return <Badge>No runs yet</Badge>
  if (node.why === "credential_missing") return <Badge kind="alarm">Credential missing</Badge>
  if (isUnreachable(node)) return <Badge kind="alarm">Unreachable</Badge>
  if (node.circuit === "open") return <Badge kind="alarm">Circuit open</Badge>
  if (node.circuit === "half_open") return <Badge kind="warning">Trial run</Badge>
  if (node.pausedUntil !== null) return <Badge kind="warning">Paused</Badge>
  return <Badge kind="good">Well</Badge>
}

interface Line {
  readonly provider: Provider
  readonly node: OnNode | null
}

const isHeld = ({ node }: Line) =>
  node !== null && (node.heldSince !== null || node.pausedUntil !== null || node.circuit !== "closed")

const at = (time: string | null | undefined) =>
  time === null || time === undefined ? "–" : <Time at={time} form="relative" />

const usual: ReadonlyArray<Column<Line>> = [
  {
    id: "provider",
    header: "Provider",
    cell: ({ provider }) => (
      <Stack gap="half">
        <code>{provider.name}</code>
        <span className={classes["small"]}>
          {provider.adapters.join(", ")} · {provider.models[0]}
          {provider.modelCount > 1 && ` and ${provider.modelCount - 1} more`}
        </span>
      </Stack>
    )
  },
  { id: "state", header: "State", cell: ({ node }) => <State node={node} /> },
  {
    id: "why",
    header: "Last error",
    cell: ({ node }) => (
      <Stack gap="half">
        <span>{node?.why ?? "–"}</span>
        {node !== null && node.lastErrorAt !== null && (
          <span className={classes["small"]} data-measured>
            <Time at={node.lastErrorAt} />
            {node.failures > 0 && `, ${node.failures} in a row`}
          </span>
        )}
      </Stack>
    )
  },
  { id: "since", header: "Held since", cell: ({ node }) => at(node?.heldSince) },
  { id: "next", header: "Next try", cell: ({ node }) => at(node?.nextTryAt) },
  {
    id: "runs",
    header: "Runs of limit",
    align: "end",
    cell: ({ node, provider }) => `${node?.runs ?? 0} of ${provider.concurrency?.toLocaleString() ?? "∞"}`
  },
  { id: "reset", header: "Action", cell: ({ provider }) => <ResetButton name={provider.name} /> }
]

const nodeColumn: Column<Line> = {
  id: "node",
  header: "Node",
  cell: ({ node }) => (node === null ? "–" : <code>{node.nodeId}</code>)
}

/** With a single node, its name says nothing. */
const columnsOf = (lines: ReadonlyArray<Line>): ReadonlyArray<Column<Line>> =>
  new Set(lines.map(({ node }) => node?.nodeId)).size > 2 ||
  lines.some(({ provider }) => provider.nodes.length > 1)
    ? [...usual.slice(0, 1), nodeColumn, ...usual.slice(1)]
    : usual

const linesOf = (provider: Provider): ReadonlyArray<Line> =>
  provider.nodes.length === 0
    ? [{ provider, node: null }]
    : provider.nodes.map((node) => ({ provider, node }))

export const ProvidersView = () => {
  const connection = useLive("providers")
  const { q = "" } = useSearch({ from: "/shell/operate/area/providers" })
  const navigate = useNavigate({ from: "/operate/providers" })
  const query = useQuery(topics.providers)
  const matches = ({ models, name }: Provider) =>
    [name, ...models].some((text) => text.toLowerCase().includes(q.toLowerCase()))
  return (
    <Page
      title="Providers"
      lead="No run begins at a provider whose circuit is open, that asked for a pause, or that cannot be reached."
      actions={<LiveBadge connection={connection} />}
    >
      <div className={classes["filters"]}>
        <TextField
          label="Find a provider or model"
          type="search"
          value={q}
          onChange={(text) => void navigate({ search: text === "" ? {} : { q: text }, replace: true })}
        />
      </div>
      <Loaded query={query}>
        {({ data }) => {
          const lines = data.filter(matches).flatMap(linesOf)
          return lines.length === 0 ? (
            <EmptyState title={q === "" ? "The catalog has no providers" : "No provider matches"} />
          ) : (
            <Table
              caption="Providers on each node"
              columns={columnsOf(lines)}
              rows={[...lines.filter(isHeld), ...lines.filter((line) => !isHeld(line))]}
              rowKey={({ node, provider }) => `${provider.name} ${node?.nodeId ?? ""}`}
            />
          )
        }}
      </Loaded>
    </Page>
  )
}
