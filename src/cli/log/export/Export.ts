import { Console, Effect, Option, Stdio, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Output from "#src/cli/Output.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteLog from "#src/cli/remote/RemoteLog.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as EventChoice from "../EventChoice.ts"
import * as ReadOnlyLog from "../ReadOnlyLog.ts"
import * as ExportFile from "./ExportFile.ts"
import * as ExportLines from "./ExportLines.ts"

const position = (name: string, description: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("POSITION"),
    Flag.withDescription(description),
    Flag.filterMap(
      (text) => GlobalPosition.GlobalPosition.makeOption(text),
      () => "Expected a position such as 1200"
    ),
    Flag.optional
  )

const to = Flag.Path("to").pipe(
  Flag.withMetavar("FILE"),
  Flag.withDescription("Write to this file instead of stdout; an existing export is continued"),
  Flag.optional
)

/** Fails for a position beyond the end of the log: it is a mistake, or belongs to another log. */
const checkAfter = Effect.fnUntraced(function* (after: GlobalPosition.GlobalPosition) {
  const head = yield* (yield* EventReader).head
  if (GlobalPosition.isReached(after, head)) return
  return yield* new Failure.UsageError({ message: `--after ${after}: the log ends at position ${head}` })
})

const toStdout = Effect.fnUntraced(function* (choice: ExportLines.Choice) {
  const stdio = yield* Stdio.Stdio
  yield* checkAfter(choice.after)
  const lines = yield* ExportLines.make(choice, { showProgress: !(yield* stdio.stdoutIsTerminal) })
  yield* Stdout.write(lines.texts).pipe(Effect.ensuring(lines.clearProgress))
})

/** The last event of the file must equal the event of the log at its position. Its hash covers all previous events of its stream. */
const checkOrigin = Effect.fnUntraced(function* (file: string, last: ExportFile.LastLine) {
  const event = yield* TailRead.at(last.position)
  if (Option.isSome(event) && event.value.hash === last.hash) return
  return yield* new Failure.CommandError({
    message: `${file}: its last event is not the event at position ${last.position} of this log. Nothing was written`
  })
})

/** The position to continue after. */
const startIn = Effect.fnUntraced(function* (
  filename: string,
  file: Effect.Success<ReturnType<typeof ExportFile.open>>,
  after: GlobalPosition.GlobalPosition
) {
  if (file.last === null) {
    yield* checkAfter(after)
    return after
  }
  yield* checkOrigin(filename, file.last)
  if (!GlobalPosition.isReached(after, file.last.position)) {
    return yield* new Failure.UsageError({
      message: `--after ${after}: ${filename} ends at position ${file.last.position}, so events between would be missing`
    })
  }
  return file.last.position
})

const toFile = Effect.fnUntraced(function* (filename: string, choice: ExportLines.Choice) {
  const file = yield* ExportFile.open(filename)
  const after = yield* startIn(filename, file, choice.after)
  yield* file.removeTornLine
  const lines = yield* ExportLines.make({ ...choice, after }, { showProgress: true })
  yield* Stream.runForEach(lines.texts, file.append).pipe(
    Effect.ensuring(lines.clearProgress),
    Effect.onInterrupt(() => Effect.ignore(file.sync))
  )
  yield* file.sync
  const { events, position } = lines.exported()
  return { events, position: position ?? after }
}, Effect.scoped)

export const exportLog = Command.make(
  "export",
  {
    after: position("after", "Only events after this one").pipe(
      Flag.map(Option.getOrElse(() => GlobalPosition.beginning))
    ),
    until: position("until", "No events after this one"),
    to,
    follow: EventChoice.follow,
    ...EventChoice.flags,
    json: Output.json.pipe(Flag.withDescription("Print a summary of --to as JSON; events are always JSON"))
  },
  Effect.fnUntraced(function* ({ json, to, ...choice }) {
    if (Option.isSome(choice.until) && !GlobalPosition.isReached(choice.after, choice.until.value)) {
      return yield* new Failure.UsageError({ message: "--until is before --after" })
    }
    const run = Effect.gen(function* () {
      if (Option.isNone(to)) return yield* toStdout(choice)
      const { events, position } = yield* toFile(to.value, choice)
      if (json) return yield* Output.printJson({ file: to.value, events, position })
      yield* Console.log(
        `Exported ${Output.count(events)} events to ${to.value}, up to position ${position}.`
      )
    })
    yield* choice.follow ? Failure.untilStopped(run) : run
  })
).pipe(
  Command.provide((flags) =>
    RemoteLog.orElsewhere(flags.follow ? ReadOnlyLog.layerFollowing : ReadOnlyLog.layerEvents, flags)
  ),
  Remote.administers,
  Command.withDescription(
    "Export every event as a line of JSON. The chain can be verified without this program (docs/reference/cli.md). " +
      "With --to, an interrupted export continues after its last complete line. Works while a server runs"
  ),
  Command.withShortDescription("Export every event as a line of JSON"),
  Command.withExamples([
    {
      command: "inferlog log export --to log.ndjson",
      description: "Run again later, it appends only new events"
    },
    { command: "inferlog log export --after 1200 | gzip > rest.ndjson.gz" },
    { command: "inferlog log export --follow --type RequestCompleted | node bill.mjs" }
  ])
)
