import { Config, Console, Effect, Redacted, Stdio, Stream } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import { UsageError } from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Profiles from "./Profiles.ts"
import * as Remote from "./Remote.ts"

const name = Argument.String("name").pipe(
  Argument.withDescription("1 to 64 of a-z, 0-9, dot, hyphen and underscore"),
  Argument.filter(Profiles.isName, () => "Expected a name such as production")
)

/** From `INFERLOG_OPERATOR_KEY`, from a prompt, or from the first line of stdin: never an argument. */
const readKey = Effect.gen(function* () {
  const fromEnvironment = yield* Config.String("INFERLOG_OPERATOR_KEY").pipe(Config.withDefault(""))
  if (fromEnvironment !== "") return yield* Remote.keyOf(fromEnvironment)
  const stdio = yield* Stdio.Stdio
  if ((yield* stdio.stdinIsTerminal) && (yield* stdio.stdoutIsTerminal)) {
    const typed = yield* Prompt.run(Prompt.Hidden({ message: "The operator's key" })).pipe(
      Effect.catchTag("QuitError", () => Effect.interrupt)
    )
    return yield* Remote.keyOf(Redacted.value(typed))
  }
  const [line = ""] = yield* stdio.stdin.pipe(
    Stream.decodeText,
    Stream.splitLines,
    Stream.take(1),
    Stream.runCollect,
    Effect.mapError(() => new UsageError({ message: "stdin cannot be read" }))
  )
  return yield* Remote.keyOf(line)
})

const add = Command.make(
  "add",
  {
    name,
    url: Flag.String("url").pipe(Flag.withMetavar("URL"), Flag.withDescription("The server's BASE_URL")),
    insecure: Flags.toggle("insecure", "Allow plain http to another machine, where others can read the key"),
    json: Output.json
  },
  Effect.fnUntraced(function* ({ insecure, json, name, url }) {
    const address = yield* Remote.addressOf(url, insecure)
    const key = Redacted.make(yield* readKey)
    yield* Profiles.put(name, { url: address, key, ...(insecure && { insecure }) })
    yield* json
      ? Output.printJson({ name, url: address, file: yield* Profiles.file })
      : Console.log(`Use it with --profile ${name}. The key is in ${yield* Profiles.file}.`)
  })
).pipe(
  Command.withDescription(
    "Add a server with the key of an operator, or replace it. The key comes from INFERLOG_OPERATOR_KEY, a prompt, or the first line of stdin"
  ),
  Command.withShortDescription("Add or replace a server and its key"),
  Command.withExamples([
    { command: "inferlog profiles add production --url https://api.example.com < key.txt" }
  ])
)

const list = Command.make(
  "list",
  { json: Output.json },
  Effect.fnUntraced(function* ({ json }) {
    const profiles = Object.entries(yield* Profiles.read).map(([name, profile]) => ({
      name,
      url: profile.url,
      operatorId: Profiles.operatorOf(profile)
    }))
    if (json) return yield* Output.printJson(profiles)
    if (profiles.length === 0) return yield* Console.error("There are no profiles.")
    yield* Console.log(
      Output.table(
        ["NAME", "URL", "OPERATOR"],
        profiles.map(({ name, operatorId, url }) => [name, url, operatorId])
      )
    )
  })
).pipe(
  Command.withDescription("List the profiles, without their keys"),
  Command.withExamples([
    { command: "inferlog profiles list --json", description: "[{ name, url, operatorId }]" }
  ])
)

const remove = Command.make(
  "remove",
  { name, json: Output.json },
  Effect.fnUntraced(function* ({ json, name }) {
    yield* Profiles.remove(name)
    yield* json ? Output.printJson({ name, removed: true }) : Console.log(`Removed ${name}.`)
  })
).pipe(
  Command.withDescription(
    "Remove a profile and its key from this machine. The key stays valid: see 'operators revoke'"
  ),
  Command.withShortDescription("Remove a profile"),
  Command.withExamples([{ command: "inferlog profiles remove production" }])
)

export const profiles = Command.make("profiles").pipe(
  Command.withDescription("Servers elsewhere, and the keys with which commands administer them"),
  Command.withSubcommands([add, list, remove])
)
