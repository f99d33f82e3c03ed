/**
 * The previous hash of each event in one pass over a log of any size: a bounded cache, and the log for streams outside it. A pass
 * that begins inside the log hashes the beginning of such a stream again, because this pass has not seen it.
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
  /**
   * The hash before `event` in its stream. `undefined` when the previous event is missing, and the first event of its stream
   * that does not match its hash when the pass began after it.
   */
  readonly before: (
    event: RecordedEvent
  ) => Effect.Effect<string | RecordedEvent | undefined, EventStoreError>
  readonly record: (event: RecordedEvent) => void
}

/** The first event that does not match its hash. The events are a stream from its beginning. */
const firstChanged = (events: ReadonlyArray<RecordedEvent>): RecordedEvent | undefined => {
  let previous = EventChain.origin
  return events.find((event, index) => {
    const isRight = event.ordinal === index && EventChain.hash(previous, event) === event.hash
    previous = event.hash
    return !isRight
  })
}

/** @param start The pass begins after this position. */
export const make = Effect.fnUntraced(function* (
  start: GlobalPosition.GlobalPosition
): Effect.fn.Return<StreamHashes, never, EventReader> {
  const reader = yield* EventReader
  const tails = RecentlyUsed.make<Tail>({ capacity })
  const isPassed = ({ position }: RecordedEvent) => !GlobalPosition.isReached(position, start)

  // Events of this pass have been verified already, so their stored hashes can be trusted.
  const fromLog = (event: RecordedEvent) =>
    Effect.map(reader.read(event.stream), (events) => {
      const last = events.find(
        ({ ordinal, position }) =>
          ordinal === event.ordinal - 1 && GlobalPosition.isReached(position, event.position)
      )
      if (last === undefined || isPassed(last)) return last?.hash
      return firstChanged(events.filter(({ ordinal }) => ordinal < event.ordinal)) ?? last.hash
    })

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
