/** The hash that each event chains to, in one pass over a log of any size: a bounded cache, and the log behind it. */
import { Effect } from "effect"
import * as EventChain from "./EventChain.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"

/** Streams. One that was record longer ago is read again, by its index. */
const capacity = 50_000

interface Tail {
  readonly ordinal: number
  readonly hash: string
}

export interface StreamHashes {
  /** The hash before `event` in its stream, as far as it is in memory; `undefined` leaves it to `before`. */
  readonly cached: (event: RecordedEvent) => string | undefined
  /** The hash before `event` in its stream; `undefined` when the event before it is not there. */
  readonly before: (event: RecordedEvent) => Effect.Effect<string | undefined, EventStoreError>
  readonly record: (event: RecordedEvent) => void
}

export const make: Effect.Effect<StreamHashes, never, EventReader> = Effect.map(EventReader, (reader) => {
  const tails = RecentlyUsed.make<Tail>({ capacity })

  // What stands before has been verified when it record, so its stored hash can be trusted here.
  const fromLog = (event: RecordedEvent) =>
    Effect.map(
      reader.read(event.stream),
      (events) =>
        events.find(
          ({ ordinal, position }) =>
            ordinal === event.ordinal - 1 && GlobalPosition.isReached(position, event.position)
        )?.hash
    )

  const cached = (event: RecordedEvent): string | undefined => {
    const tail = tails.get(event.stream)
    if (tail !== undefined) return tail.ordinal === event.ordinal - 1 ? tail.hash : undefined
    return event.ordinal === 0 ? EventChain.origin : undefined
  }

  return {
    cached,
    before: (event) => {
      if (tails.get(event.stream) !== undefined || event.ordinal === 0) return Effect.succeed(cached(event))
      return fromLog(event)
    },
    record: ({ stream, ordinal, hash }) => tails.set(stream, { ordinal, hash })
  }
})
