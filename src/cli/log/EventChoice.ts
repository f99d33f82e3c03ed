/** Selects events by flags, and reads them, also while a server writes. */
import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import * as ChosenLog from "#src/platform/log/ChosenLog.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as FilesInPlace from "#streams/sqlite/FilesInPlace.ts"
import * as SqliteEventStore from "#streams/sqlite/SqliteEventStore.ts"
import * as Flags from "#src/cli/Flags.ts"
import { CommandError } from "#src/cli/Failure.ts"
import * as StreamName from "#streams/StreamName.ts"

export interface EventChoice {
  readonly stream: Option.Option<StreamName.StreamName>
  /** Empty for all types. */
  readonly types: ReadonlyArray<string>
}

export const flags = {
  stream: Flag.String("stream").pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Only the events of this stream, such as InferenceRequest-rq…"),
    Flag.withSchema(StreamName.StreamName),
    Flag.optional
  ),
  types: Flag.String("type").pipe(
    Flag.withMetavar("TYPE"),
    Flag.withDescription("Only events of this type, such as RequestCompleted; repeatable"),
    Flag.atLeast(0)
  )
}

export const follow = Flags.toggle(
  "follow",
  "Follow new events until Ctrl-C or SIGTERM, which exit with 0"
).pipe(Flag.withAlias("f"))

export const matcher = ({ stream, types }: EventChoice): ((event: RecordedEvent) => boolean) => {
  const name = Option.getOrUndefined(stream)
  const wanted = types.length === 0 ? undefined : new Set(types)
  return (event) =>
    (name === undefined || event.stream === name) && (wanted === undefined || wanted.has(event.type))
}

/** Fails when the file is removed or replaced, because new events would never arrive. A log on NATS has no file. */
const untilReplaced = Effect.gen(function* () {
  if (yield* ChosenLog.isShared) return Effect.never
  const { log } = SqliteEventStore.files(yield* DataDirectory)
  const displaced = FilesInPlace.make([log])
  return Effect.sync(displaced).pipe(
    Effect.delay("1 second"),
    Effect.repeat({ until: (filename) => filename !== undefined }),
    Effect.andThen(Effect.fail(new CommandError({ message: `DATA_DIR: ${log} was removed or replaced` })))
  )
})

/** All events after `after`, without gaps or repeats. With `follow`, also new ones as they are appended. */
export const read = Effect.fnUntraced(function* ({
  after,
  follow
}: {
  readonly after: GlobalPosition
  readonly follow: boolean
}) {
  const reader = yield* EventReader
  return follow ? Stream.interruptWhen(reader.subscribe(after), yield* untilReplaced) : reader.readAll(after)
})
