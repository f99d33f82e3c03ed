import { Console, Effect, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as Failure from "#src/cli/Failure.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as Output from "#src/cli/Output.ts"
import * as Stdout from "#src/cli/Stdout.ts"
import * as EventChoice from "./EventChoice.ts"
import * as EventLine from "./EventLine.ts"
import * as ExportedEvent from "#src/edges/admin/log/EventLine.ts"
import * as ReadOnlyLog from "./ReadOnlyLog.ts"

const mostEvents = 10_000

const events = Flags.count("events", "Number of events", { from: 0, to: mostEvents, byDefault: 20 }).pipe(
  Flag.withAlias("n")
)

/** Reads the whole stream when one is chosen, because streams are short. */
const last = Effect.fnUntraced(function* (
  choice: EventChoice.EventChoice,
  options: { readonly end: GlobalPosition.GlobalPosition; readonly limit: number }
) {
  const matches = EventChoice.matcher(choice)
  if (choice.stream._tag === "None") return yield* TailRead.last({ ...options, matches })
  const recorded = yield* (yield* EventReader).read(choice.stream.value)
  const found = recorded.filter(
    (event) => matches(event) && GlobalPosition.isReached(event.position, options.end)
  )
  return options.limit === 0 ? [] : found.slice(-options.limit)
})

export const tail = Command.make(
  "tail",
  {
    limit: events,
    follow: EventChoice.follow,
    ...EventChoice.flags,
    json: Output.jsonLines
  },
  Effect.fnUntraced(function* ({ follow, json, limit, ...choice }) {
    const end = yield* (yield* EventReader).head
    const newer = yield* EventChoice.read({ after: end, follow })
    const found = yield* last(choice, { end, limit })
    if (found.length === 0 && !follow) yield* Console.error("No event matches.")
    const shown = follow
      ? Stream.concat(Stream.fromIterable(found), Stream.filter(newer, EventChoice.matcher(choice)))
      : Stream.fromIterable(found)
    const lines = Stream.map(shown, json ? ExportedEvent.json : EventLine.text)
    const hasHeader = !json && (follow || found.length > 0)
    const texts = hasHeader ? Stream.concat(Stream.make(EventLine.header), lines) : lines
    yield* follow ? Failure.untilStopped(Stdout.write(texts)) : Stdout.write(texts)
  })
).pipe(
  Command.provide(({ follow }) => (follow ? ReadOnlyLog.layerFollowing : ReadOnlyLog.layerEvents)),
  Command.withDescription(
    "Show the last events of the log, oldest first. With --follow, also show new events as they are committed. " +
      "Works while a server runs"
  ),
  Command.withShortDescription("Show the last events, and follow new ones"),
  Command.withExamples([
    { command: "inferlog log tail -n 5" },
    { command: "inferlog log tail -f --type RequestFailed", description: "Failures as they happen" },
    { command: "inferlog log tail --stream InferenceRequest-rq0qXk2Ab-0Zp1aB3dE5f --json" }
  ])
)
