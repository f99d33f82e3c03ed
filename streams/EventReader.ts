/**
 * The reading half of the log. Readers see only durable events in one total order. A gap in the positions is never filled
 * later.
 */
import { Context, type Effect, Schema, type Stream } from "effect"
import type { Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"
import type { StreamName } from "./StreamName.ts"

/** The log cannot be read or written. An append that failed with this is not acknowledged, and may or may not be on disk. */
export class EventStoreError extends Schema.TaggedError<EventStoreError>()("EventStoreError", {
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
  /** The archived segment that cannot be read. */
  segment: Schema.optionalKey(Schema.String),
  /** For an append: it is certain that it is not on the log and never will be. */
  isAbsent: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return this.reason
  }
}

export interface StreamPayload {
  readonly stream: StreamName
  readonly payload: SealedPayload
}

/** Reads of many streams at once, which cost a fraction of as many single reads. */
interface ManyReads {
  /** All events of these streams. Those of one stream follow each other, oldest first. */
  read(streams: ReadonlyArray<StreamName>): Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** The payload records of these streams with this name, in any order. */
  payloads(
    streams: ReadonlyArray<StreamName>,
    name: string
  ): Effect.Effect<ReadonlyArray<StreamPayload>, EventStoreError>
}

export interface Reading {
  /** The events of one stream after `after`, oldest first. Empty for an unknown stream. */
  read(stream: StreamName, after?: Version): Effect.Effect<ReadonlyArray<RecordedEvent>, EventStoreError>
  /** Absent when the backend cannot read many streams at once. */
  readonly many?: ManyReads
  /** Every event after `after` up to the current head, in order, in arrays of up to a page. */
  readAll(after: GlobalPosition): Stream.Stream<RecordedEvent, EventStoreError>
  /**
   * The events of streams of these categories up to `end`, in order. Absent when the backend cannot find a category without
   * reading the whole log.
   */
  readonly readCategories?: (
    categories: ReadonlyArray<string>,
    end: GlobalPosition
  ) => Stream.Stream<RecordedEvent, EventStoreError>
  /**
   * Replays the log after `after`, then follows it, without gaps or repeats. With `types`, events of other types may be left
   * out, except for the last two of an array.
   */
  subscribe(
    after: GlobalPosition,
    types?: ReadonlyArray<string>
  ): Stream.Stream<RecordedEvent, EventStoreError>
  /**
   * Replays the log after `after`, then calls `onEvents` with the events of each commit, without gaps or repeats. Its own
   * commits reach it before they are acknowledged. An effect that `onEvents` returns runs before the next call.
   */
  follow(
    after: GlobalPosition,
    onEvents: (events: ReadonlyArray<RecordedEvent>) => Effect.Effect<void, EventStoreError> | void
  ): Effect.Effect<never, EventStoreError>
  /** Position of the last event. `beginning` for an empty log. */
  readonly head: Effect.Effect<GlobalPosition, EventStoreError>
  /** The head now and after each change. A slow reader gets only the latest one. */
  readonly changes: Stream.Stream<GlobalPosition, EventStoreError>
  /**
   * A payload record. `null` when it was erased or never written. `hash`, from an event's reference, selects the right
   * record when a backend briefly also has one of an append that lost a race.
   */
  payload(
    stream: StreamName,
    name: string,
    hash?: string
  ): Effect.Effect<SealedPayload | null, EventStoreError>
  /** A position at least about `count` events before, for reads from the end of the log. Reads nothing. */
  stepBack(position: GlobalPosition, count: number): GlobalPosition
}

export class EventReader extends Context.Service<EventReader, Reading>()("inferlog/streams/EventReader") {}
