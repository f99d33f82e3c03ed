/** The hash that each event chains to, in one pass over a log of any size: a bounded cache, and the log behind it. */
import { Effect } from "effect"
import * as EventChain from "./EventChain.ts"
import { EventReader, type EventStoreError } from "./EventReader.ts"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

const capacity = 200_000

interface Tail {
  readonly ordinal: number
  readonly hash: string
}

export interface StreamHashes {
  /** The hash before `event` in its stream; `undefined` when the event before it is not there. */
  readonly before: (event: RecordedEvent) => Effect.Effect<string | undefined, EventStoreError>
  readonly passed: (event: RecordedEvent) => void
}

export const make: Effect.Effect<StreamHashes, never, EventReader> = Effect.map(EventReader, (reader) => {
  const tails = new Map<string, Tail>()

  // What stands before has been verified when it passed, so its stored hash can be trusted here.
  const fromLog = (event: RecordedEvent) =>
    Effect.map(
      reader.read(event.stream),
      (events) =>
        events.find(
          ({ ordinal, position }) =>
            ordinal === event.ordinal - 1 && GlobalPosition.isReached(position, event.position)
        )?.hash
    )

  return {
    before: (event) => {
      const tail = tails.get(event.stream)
      if (tail !== undefined)
        return Effect.succeed(tail.ordinal === event.ordinal - 1 ? tail.hash : undefined)
      return event.ordinal === 0 ? Effect.succeed(EventChain.origin) : fromLog(event)
    },
    passed: ({ stream, ordinal, hash }) => {
      tails.delete(stream)
      tails.set(stream, { ordinal, hash })
      if (tails.size <= capacity) return
      for (const oldest of tails.keys()) {
        tails.delete(oldest)
        return
      }
    }
  }
})
