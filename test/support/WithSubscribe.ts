import { Effect, Stream } from "effect"
import type { Reading } from "#streams/EventReader.ts"

/** A reader whose `follow` sees what its `subscribe` emits. */
export const withSubscribe = <R extends Reading>(reader: R, subscribe: Reading["subscribe"]): R => ({
  ...reader,
  subscribe,
  follow: (after, onEvents) =>
    Effect.andThen(
      Stream.runForEachArray(subscribe(after), (events) => onEvents(events) ?? Effect.void),
      Effect.never
    )
})
