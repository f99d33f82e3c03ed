/**
 * The reading half of the log. Readers see only what is durable, in one total order, and positions never show a gap that
 * is later filled.
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import type { StreamName } from "./StreamName.ts"

/** The log cannot be read or written. Nothing that failed with this is acknowledged; it may or may not be on disk. */
export class EventStoreError extends Schema.TaggedError<EventStoreError>()("EventStoreError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
  /** Of an append: known not to be on the log, and never to come there. */
  isAbsent: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return this.reason
  }
}

export interface Reading {
  /** The events of one stream after `after`, oldest first; none when there is no such stream. */
  read(stream: StreamName, after?: Version): Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** Every event after `after` up to the head as of the start, in order, in arrays of up to a page. */
  readAll(after: GlobalPosition): Stream.Stream<RecordedEvent, EventStoreError>
  /**
   * Events of streams of these categories up to `end`, in order. Left out where a category cannot be found without reading
   * the whole log.
   */
  readonly readCategories?: (
    categories: ReadonlyArray<string>,
    end: GlobalPosition
  ) => Stream.Stream<RecordedEvent, EventStoreError>
  /** Replays the log after `after`, then follows it, without gaps or repeats. */
  subscribe(after: GlobalPosition): Stream.Stream<RecordedEvent, EventStoreError>
  /** Position of the last event; `beginning` for an empty log. */
  readonly head: Effect.Effect<GlobalPosition, EventStoreError>
  /** The head now and each time it has moved, coalesced: a slow reader sees the newest only. */
  readonly changes: Stream.Stream<GlobalPosition, EventStoreError>
  /**
   * A payload record, or `null` when it was erased or never written. With `hash`, the one that an event's reference names:
   * where records lie beside the log, one of an append that lost a race may be there for a moment too.
   */
  payload(
    stream: StreamName,
    name: string,
    hash?: string
  ): Effect.Effect<SealedPayload | null, EventStoreError>
  /** A position about `count` events before, or more, for reads from the end of the log. Reads nothing. */
  stepBack(position: GlobalPosition, count: number): GlobalPosition
}

export class EventReader extends Context.Service<EventReader, Reading>()("inferlog/streams/EventReader") {}
