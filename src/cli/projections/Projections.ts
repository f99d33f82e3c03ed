import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import type { ProjectionStatus } from "#projections/status/StatusViews.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import { rebuild } from "./Rebuild.ts"
import * as Statuses from "./Statuses.ts"

const percentDone = ({ behind }: { readonly behind: number }, head: number): string =>
  `rebuilding, ${Math.floor(head === 0 ? 100 : ((head - behind) / head) * 100)} %`

const stateOf = (status: ProjectionStatus, head: number): string =>
  [
    status.reason === null ? status.state : `${status.state}: ${status.reason}`,
    ...(status.rebuild === null ? [] : [percentDone(status.rebuild, head)])
  ].join("; ")

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const found = yield* Statuses.read
    if (json) return yield* Output.printJson(found)
    if (found.bytes === 0)
      yield* Console.error(`There is no ${found.file}: the next server builds it from the log.`)
    const head = GlobalPosition.sequence(found.head)
    yield* Console.log(
      Output.table(
        ["NAME", "VERSION", "POSITION", "BEHIND", "LAG", "STATE"],
        found.projections.map((status) => [
          status.name,
          String(status.version),
          status.position,
          Output.count(status.behind),
          status.behind === 0 ? "-" : Output.duration(status.lagMs),
          stateOf(status, head)
        ])
      )
    )
    if (found.bytes > 0) yield* Console.error(`${found.file}: ${Output.count(found.bytes)} bytes.`)
  })
).pipe(
  Command.withDescription(
    "List the read models with their position on the log, their lag behind its end, and their state, from the running " +
      "server, or from the file when no server runs"
  ),
  Command.withShortDescription("List the read models and their progress"),
  Command.withExamples([
    { command: "inferlog projections list" },
    { command: "inferlog projections list --json", description: "{ head, file, bytes, projections }" }
  ])
)

export const projections = Command.make("projections").pipe(
  Command.withDescription("The read models that are built from the log: list, rebuild and verify them"),
  Command.withShortDescription("The read models that are built from the log"),
  Command.withSubcommands([list, rebuild]),
  Remote.administers
)
