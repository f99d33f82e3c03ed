import { Clock, Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Pages from "#src/edges/admin/Pages.ts"
import type { ListedProvider } from "#src/edges/admin/fleet/FleetViews.ts"

const forPrograms = (provider: ListedProvider) => ({
  ...provider,
  nodes: provider.nodes.map((node) => ({
    ...node,
    lastErrorAt: Output.timeOrNull(node.lastErrorAt),
    pausedUntil: Output.timeOrNull(node.pausedUntil),
    nextTryAt: Output.timeOrNull(node.nextTryAt)
  }))
})

const header = ["PROVIDER", "ADAPTER", "NODE", "CIRCUIT", "FAILURES", "NEXT TRY", "RUNS", "MODELS", "WHY"]

const inTime = (at: number | null, now: number) =>
  at === null ? "-" : `in ${Output.duration(Math.max(at - now, 0))}`

const modelsOf = ({ modelCount, models }: ListedProvider): string => {
  const [first = "-"] = models
  return modelCount > 1 ? `${first} and ${modelCount - 1} more` : first
}

/** A line for each node that has had runs there; one line for a provider without any. */
const forPeople = (now: number) => (provider: ListedProvider) => {
  const start = [provider.name, provider.adapters.join(",")]
  const models = modelsOf(provider)
  if (provider.nodes.length === 0) return [[...start, "-", "closed", "0", "-", "0", models, "-"]]
  return provider.nodes.map((node) => [
    ...start,
    node.nodeId,
    node.pausedUntil === null ? node.circuit : `${node.circuit}, paused`,
    String(node.failures),
    inTime(node.nextTryAt, now),
    String(node.runs),
    models,
    node.why ?? "-"
  ])
}

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const { listProviders } = yield* Administration
    const providers = yield* Pages.collect((after: string | null) => listProviders({ after }))
    if (json) return yield* Output.printJson(providers.map(forPrograms))
    if (providers.length === 0)
      return yield* Console.error("No server runs on this data directory, or no model has a provider.")
    const now = yield* Clock.currentTimeMillis
    yield* Console.log(Output.table(header, providers.flatMap(forPeople(now))))
  })
).pipe(
  Command.withDescription(
    "List the providers of the catalog with their circuit on each node, why no run begins or the last error, the failures since the last answer, when the next run is tried, and the models that use them"
  ),
  Command.withShortDescription("List providers and their circuits"),
  Command.withExamples([
    { command: "inferlog providers list" },
    { command: "inferlog providers list --json" }
  ])
)

const reset = Command.make(
  "reset",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of the provider, as in a manifest")),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, name }) {
    yield* (yield* Administration).resetProvider({ name })
    yield* json
      ? Output.printJson({ name, reset: true })
      : Console.error(`Reset ${Output.printable(name)}: runs may begin there on all nodes.`)
  })
).pipe(
  Command.withDescription(
    "Close the circuit of a provider and end its pause, at once and on all nodes. If it still fails, the circuit opens again"
  ),
  Command.withShortDescription("Close the circuit of a provider"),
  Command.withExamples([{ command: "inferlog providers reset gpu-box" }])
)

export const providers = Command.make("providers").pipe(
  Command.withDescription("What runs models: circuits, pauses, errors"),
  Command.withSubcommands([list, reset]),
  Command.provide(OperatorAccess.layerExisting),
  Remote.administers
)
