/** Times of the first and the last event, ISO 8601; `null` for an empty log. */
import { Effect, Option, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as TailRead from "#streams/TailRead.ts"
import * as Output from "#src/cli/Output.ts"

export const firstTime = Effect.gen(function* () {
  const event = yield* Stream.runHead((yield* EventReader).readAll(GlobalPosition.beginning))
  return Option.getOrNull(Option.map(event, ({ time }) => Output.time(time)))
})

export const lastTime = Effect.fnUntraced(function* (head: GlobalPosition.GlobalPosition) {
  const [event] = yield* TailRead.last({ end: head, limit: 1, matches: () => true })
  return event === undefined ? null : Output.time(event.time)
})
