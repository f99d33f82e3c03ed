import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Administration } from "#src/edges/admin/Administration.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as OperatorAccess from "#src/cli/OperatorAccess.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as Output from "#src/cli/Output.ts"
import { list } from "./List.ts"
import * as ShownText from "./ShownText.ts"
import { watch } from "./Watch.ts"

const show = Command.make(
  "show",
  {
    requestId: Argument.String("request-id").pipe(
      Argument.withDescription("21 characters"),
      Argument.filterMap(...Flags.requestId)
    ),
    withPayloads: Flags.toggle(
      "payloads",
      "Include the input, the output and the log lines of runs. They may contain personal data"
    ),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ json, requestId, withPayloads }) {
    const shown = yield* (yield* Administration).showRequest({ requestId, withPayloads })
    yield* json ? Output.printJson(ShownText.forPrograms(shown)) : Console.log(ShownText.forPeople(shown))
  })
).pipe(
  Command.withDescription("Show all facts about one request: its state and its events"),
  Command.withShortDescription("Show one request and its events"),
  Command.withExamples([
    { command: "inferlog requests show rq0qXk2Ab-0Zp1aB3dE5f" },
    { command: "inferlog requests show rq0qXk2Ab-0Zp1aB3dE5f --payloads --json" }
  ])
)

/** For commands about all accounts. */
const administers = <Name extends string, Input, E, R, C>(command: Command.Command<Name, Input, C, E, R>) =>
  command.pipe(Command.provide(OperatorAccess.layerExisting), Remote.administers)

export const requests = Command.make("requests").pipe(
  Command.withDescription("Requests: of all accounts for operators, and as they happen for an account"),
  Command.withShortDescription("List, show and follow requests"),
  Command.withSubcommands([administers(list), administers(show), watch])
)
