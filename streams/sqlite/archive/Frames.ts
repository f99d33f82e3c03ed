/** The events of archived frames, read from their segments. The newest are in memory. */
import { Effect, Schedule } from "effect"
import * as Segment from "../../archive/Segment.ts"
import { type SegmentBytes, unreadable } from "../../archive/SegmentSource.ts"
import type { EventStoreError } from "../../EventReader.ts"
import * as RecentlyUsed from "../../RecentlyUsed.ts"
import type { RecordedEvent } from "../../RecordedEvent.ts"
import type { StoredFrame } from "./Tables.ts"

export interface Frames {
  readonly read: (frame: StoredFrame) => Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
}

/** Frames in memory: about 1 MB each. */
const capacity = 16

const rangeOf = ({ digest, length, offset }: StoredFrame) => ({ start: offset, length, digest })

const patience = Schedule.spaced("5 seconds")

/** @param isPatient retries until the frame can be read, for readers that cannot go on without it. */
export const make = (source: SegmentBytes, isPatient = false): Frames => {
  const recent = RecentlyUsed.make<ReadonlyArray<RecordedEvent>>({ capacity })

  const load = (frame: StoredFrame) =>
    Effect.flatMap(source.read(frame.place, rangeOf(frame)), (bytes) =>
      Effect.try({
        try: () => {
          const events = Segment.decode(bytes, frame)
          recent.set(frame.digest, events)
          return events
        },
        catch: (cause) =>
          unreadable(
            frame.place.key,
            `${cause instanceof Error ? cause.message : "unknown"} (bytes ${frame.offset} to ${frame.offset + frame.length})`,
            cause
          )
      })
    )

  return {
    read: (frame) =>
      Effect.suspend((): Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError> => {
        const events = recent.get(frame.digest)
        if (events !== undefined) return Effect.succeed(events)
        return isPatient
          ? load(frame).pipe(
              Effect.tapError((error) => Effect.logError("Waiting for an archived segment", error)),
              Effect.retry(patience)
            )
          : load(frame)
      })
  }
}
