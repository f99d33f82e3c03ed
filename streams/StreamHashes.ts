/**
 * The previous hash of each event in one pass over a log of any size: a bounded cache, and the log for streams outside it.
 */
import { Effect } from "effect"
import * as EventChain from "./EventChain.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import * as RecentlyUsed from "./RecentlyUsed.ts"

/** Streams in the cache. Others are read again, by index. */
const capacity = 50_000

interface Tail {
  readonly ordinal: number
  readonly hash: string
}

export interface StreamHashes {
  /** The hash before `event` in its stream if it is in memory. `undefined`: use `before`. */
  readonly cached: (event: RecordedEvent) => string | undefined
  /** The hash before `event` in its stream. `undefined` when the previous event is missing. */
  readonly before: (event: RecordedEvent) => Effect.Effect<string | undefined, EventStoreError>
  readonly record: (event: RecordedEvent) => void
}

export const make: Effect.Effect<StreamHashes, never, EventReader> = Effect.map(EventReader, (reader) => {
  const tails = RecentlyUsed.make<Tail>({ capacity })

  // Earlier events have been verified already, so their stored hashes can be trusted.
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
