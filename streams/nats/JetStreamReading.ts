/** `Reading` of the log at the servers: new events from memory, old ones by the page, heads from the leader. */
import { Effect, Schedule } from "effect"
import { EventStoreError, type Reading } from "../EventReader.ts"
import * as Following from "../Following.ts"
import * as GlobalPosition from "../GlobalPosition.ts"
import type { HeadSignal } from "../HeadSignal.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as AppendMessage from "./AppendMessage.ts"
import type { MessageReads } from "./MessageReads.ts"
import type { PayloadRecords } from "./PayloadRecords.ts"
import type { RecentMessages } from "./RecentMessages.ts"

/** Events per page from memory. */
const pageSize = 512

/** A former leader may not have the latest messages yet. */
const rereads = { schedule: Schedule.spaced("250 millis"), times: 20 }

export interface ReadingParts {
  readonly reads: MessageReads
  readonly records: PayloadRecords
  /** The messages followed last. */
  readonly recent: RecentMessages
  /** The end of what was followed. */
  readonly signal: HeadSignal
  /** The known end of the log, followed or not. */
  readonly known: HeadSignal
  /** Sequence number of the last followed message, with events or without. */
  readonly sequence: () => number
}

/** Position of the last event. `beginning` when there is none. */
export const endOf = (last: AppendMessage.Decoded | null): GlobalPosition.GlobalPosition =>
  last?.events.at(-1)?.position ?? GlobalPosition.beginning

export const make = ({ known, reads, recent, records, sequence, signal }: ReadingParts): Reading => {
  const knownHead = () => {
    known.publish(signal.current())
    return known.current()
  }

  /** Without a server to ask, returns what this node knows. */
  const head = Effect.suspend(() =>
    Effect.match(reads.lastAfter(sequence()), {
      onFailure: knownHead,
      onSuccess: (last) => {
        known.publish(endOf(last))
        return knownHead()
      }
    })
  )

  const storedFrom = (
    after: GlobalPosition.GlobalPosition,
    first: number
  ): Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError> =>
    Effect.flatMap(reads.page(first), (messages) => {
      const lastRead = AppendMessage.sequenceOf(after)
      const later = messages.flatMap(({ events, sequence }) =>
        sequence > lastRead
          ? events
          : events.filter(({ position }) => !GlobalPosition.isReached(position, after))
      )
      const end = messages.at(-1)?.sequence
      return later.length > 0 || end === undefined ? Effect.succeed(later) : storedFrom(after, end + 1)
    })

  /** Reads events after `after` from the servers. There must be some. */
  const stored = (after: GlobalPosition.GlobalPosition) =>
    storedFrom(after, Math.max(AppendMessage.sequenceOf(after), 1)).pipe(
      Effect.filterOrFail(
        (events) => events.length > 0,
        () => new EventStoreError({ reason: `The log at the servers has no event after ${after}` })
      ),
      // Retries only missing events. The error of a failed call has a cause.
      Effect.retry({ ...rereads, while: ({ cause }) => cause === undefined })
    )

  const page = (after: GlobalPosition.GlobalPosition) => {
    const cached = recent.page(after, pageSize)
    return cached === undefined ? stored(after) : Effect.succeed(cached)
  }

  /** For reads up to an end that this node has not followed yet. */
  const pageToEnd = (after: GlobalPosition.GlobalPosition) => {
    const cached = recent.page(after, pageSize) ?? []
    return cached.length === 0 ? stored(after) : Effect.succeed(cached)
  }

  return {
    head,
    read: (stream, after) => reads.ofStream(stream, after === undefined ? 0 : Number(after)),
    payload: records.find,
    stepBack: (position, count) =>
      AppendMessage.position(Math.max(0, AppendMessage.sequenceOf(position) - count), 0),
    ...Following.make({ page, head, signal }),
    readAll: Following.make({ page: pageToEnd, head, signal }).readAll
  }
}
