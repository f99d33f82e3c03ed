import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Console, Effect, Option, Stream } from "effect"
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
import type { Target } from "#src/edges/admin/AdminAnswers.ts"
import * as LogClient from "#src/edges/admin/log/LogClient.ts"
import * as Remote from "#src/cli/remote/Remote.ts"
import * as RemoteLog from "#src/cli/remote/RemoteLog.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
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

interface Wanted extends EventChoice.EventChoice {
  readonly limit: number
  readonly follow: boolean
}

const here = ({ follow, limit, ...choice }: Wanted) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const end = yield* (yield* EventReader).head
      const newer = yield* EventChoice.read({ after: end, follow })
      const found = Stream.fromIterable(yield* last(choice, { end, limit }))
      return follow ? Stream.concat(found, Stream.filter(newer, EventChoice.matcher(choice))) : found
    })
  ).pipe(Stream.provide(follow ? ReadOnlyLog.layerFollowing : ReadOnlyLog.layerEvents))

const elsewhere = (target: Target, { follow, limit, ...choice }: Wanted) =>
  LogClient.events(target, RemoteLog.choiceOf(choice), { last: limit, follow }).pipe(
    Stream.provide(NodeHttpClient.layerUndici)
  )

type Chosen = Stream.Stream<
  RecordedEvent,
  Stream.Error<ReturnType<typeof here>> | Stream.Error<ReturnType<typeof elsewhere>>
>

const write = <E, R>(events: Stream.Stream<RecordedEvent, E, R>, json: boolean) => {
  const lines = Stream.map(events, json ? ExportedEvent.json : EventLine.text)
  return Stdout.write(json ? lines : Stream.concat(Stream.make(EventLine.header), lines))
}

export const tail = Command.make(
  "tail",
  {
    limit: events,
    follow: EventChoice.follow,
    ...EventChoice.flags,
    json: Output.jsonLines
  },
  Effect.fnUntraced(function* ({ json, ...wanted }) {
    const chosen = Option.match(yield* Remote.target, {
      onNone: (): Chosen => here(wanted),
      onSome: (target) => elsewhere(target, wanted)
    })
    if (wanted.follow) return yield* Failure.untilStopped(write(chosen, json))
    const found = yield* Stream.runCollect(chosen)
    if (found.length === 0) return yield* Console.error("No event matches.")
    yield* write(Stream.fromIterable(found), json)
  })
).pipe(
  Remote.administers,
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
