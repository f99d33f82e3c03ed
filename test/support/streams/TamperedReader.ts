/** A reader of the log as it is after someone has changed it. */
import { Effect, Stream } from "effect"
import { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { RecordedEvent, type RecordedFields } from "#streams/RecordedEvent.ts"

export type Alter = (events: ReadonlyArray<RecordedEvent>) => ReadonlyArray<RecordedEvent>

export const make = (alter: Alter) =>
  Effect.map(EventReader, (reader) => {
    const all = Effect.map(Stream.runCollect(reader.readAll(GlobalPosition.beginning)), alter)
    return EventReader.of({
      ...reader,
      head: Effect.map(all, (events) => events.at(-1)?.position ?? GlobalPosition.beginning),
      readAll: (after) =>
        Stream.fromIterableEffect(
          Effect.map(all, (events) =>
            events.filter(({ position }) => !GlobalPosition.isReached(position, after))
          )
        ),
      read: (stream) => Effect.map(all, (events) => events.filter((event) => event.stream === stream))
    })
  })

export const changed = (
  { position, stream, ordinal, version, id, type, time, text, hash }: RecordedEvent,
  changes: Partial<RecordedFields>
): RecordedEvent =>
  new RecordedEvent({ position, stream, ordinal, version, id, type, time, text, hash, ...changes })
