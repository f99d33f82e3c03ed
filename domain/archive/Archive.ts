/**
 * The log's archive: each segment of events that left the database, in the order in which they left. One stream has all of
 * them, so that the digest of each segment is part of the log.
 */
import { Result, Schema } from "effect"
import type { Aggregate } from "../Aggregate.ts"
import * as EventCodec from "../EventCodec.ts"

/** Names and fields are the storage format: add optional fields, never rename. */
const EventsArchived = Schema.TaggedStruct("EventsArchived", {
  /** Unix time in ms. */
  at: Schema.Int,
  /** Streams whose last event is not newer were archived, Unix time in ms. */
  before: Schema.Int,
  /** Name of the segment's file, and the folder or bucket where it was put. */
  key: Schema.String,
  location: Schema.String,
  /** SHA-256 of the file, hexadecimal. */
  digest: Schema.String,
  /** The digest of the segment before. `null` for the first. */
  previous: Schema.NullOr(Schema.String),
  /** Positions of its first and last event. */
  first: Schema.Int,
  last: Schema.Int,
  events: Schema.Int,
  bytes: Schema.Int
})
type EventsArchived = typeof EventsArchived.Type

const codec = EventCodec.make([EventsArchived])
export type Event = ReturnType<typeof codec.decode>

export type Segment = Omit<EventsArchived, "_tag">

export interface Command {
  readonly _tag: "Archive"
  readonly segment: Segment
}

export interface State {
  /** Oldest first. */
  readonly segments: ReadonlyArray<Segment>
}

/** The segment does not follow on the last one: another archiving came first. */
export interface Rejection {
  readonly _tag: "NotNextSegment"
}

/** The id of the only stream. */
export const id = "log"

/** The digest of the last segment. */
export const lastDigest = ({ segments }: State): string | null => segments.at(-1)?.digest ?? null

export const aggregate: Aggregate<State, Command, Event, Rejection> = {
  category: "Archive",
  codec,
  decider: {
    initial: { segments: [] },
    decide: ({ segment }, state) => {
      if (lastDigest(state) === segment.digest) return Result.succeed([])
      return lastDigest(state) === segment.previous
        ? Result.succeed([{ _tag: "EventsArchived", ...segment }])
        : Result.fail({ _tag: "NotNextSegment" })
    },
    evolve: ({ segments }, { _tag, ...segment }) => ({ segments: [...segments, segment] })
  }
}
