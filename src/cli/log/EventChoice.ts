/** Selects events by flags, and reads them, also while a server writes. */
import { Effect, Option, Stream } from "effect"
import { Flag } from "effect/cli"
import { EventReader } from "#streams/EventReader.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Flags from "#src/cli/Flags.ts"
import * as StreamName from "#streams/StreamName.ts"
import { ReadPlace } from "./ReadPlace.ts"

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

/** All events after `after`, without gaps or repeats. With `follow`, also new ones as they are appended. */
export const read = Effect.fnUntraced(function* ({
  after,
  follow
}: {
  readonly after: GlobalPosition
  readonly follow: boolean
}) {
  const reader = yield* EventReader
  return follow
    ? Stream.interruptWhen(reader.subscribe(after), (yield* ReadPlace).untilReplaced)
    : reader.readAll(after)
})
