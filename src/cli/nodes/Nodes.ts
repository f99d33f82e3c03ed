import { Clock, Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import type { ListedNode } from "#src/edges/admin/fleet/FleetViews.ts"

const forPrograms = (node: ListedNode) => ({
  ...node,
  startedAt: Output.timeOrNull(node.startedAt),
  lastHeartbeatAt: Output.time(node.lastHeartbeatAt)
})

/** The read model that is furthest behind. */
const lagOf = ({ projections }: ListedNode): string => {
  const behind = projections.filter((one) => (one.behind ?? 0) > 0)
  const [worst] = behind.sort((a, b) => (b.behind ?? 0) - (a.behind ?? 0))
  return worst === undefined ? "-" : `${worst.name} ${Output.counted(worst.behind ?? 0, "event")}`
}

const stateOf = ({ isSelf, reasons, state }: ListedNode): string =>
  `${state}${reasons.length === 0 ? "" : ` (${reasons.join(", ")})`}${isSelf ? " *" : ""}`

const runsOf = ({ models, runs }: ListedNode): string =>
  runs === null
    ? "-"
    : [String(runs), ...models.map(({ model, runs, share }) => `${model} ${runs}/${share}`)].join("  ")

const header = ["NODE", "STATE", "RELEASE", "ADDRESS", "STARTED", "HEARTBEAT", "BEHIND", "RUNS"]

const forPeople = (now: number) => (node: ListedNode) => [
  node.nodeId,
  stateOf(node),
  node.release ?? "-",
  node.address ?? "-",
  Output.timeOrNull(node.startedAt) ?? "-",
  `${Output.duration(Math.max(now - node.lastHeartbeatAt, 0))} ago`,
  lagOf(node),
  runsOf(node)
]

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const { data: nodes } = yield* (yield* Administration).listNodes()
    if (json) return yield* Output.printJson(nodes.map(forPrograms))
    if (nodes.length === 0) return yield* Console.error("No server runs on this data directory.")
    const now = yield* Clock.currentTimeMillis
    yield* Console.log(Output.table(header, nodes.map(forPeople(now))))
  })
).pipe(
  Command.withDescription(
    "List the nodes of the log: state, release, address, last heartbeat, runs with the node's part of each model's concurrency, and how far read models are behind. * marks the node that answers; nodes that are gone are listed for ten minutes"
  ),
  Command.withShortDescription("List the nodes of the log"),
  Command.withExamples([{ command: "inferlog nodes list" }, { command: "inferlog nodes list --json" }])
)

export const nodes = Command.make("nodes").pipe(
  Command.withDescription("The nodes that run on the log"),
  Command.withSubcommands([list]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
