/**
 * The log. Every backend passes the same contract tests (`test/streams/EventStoreContract.ts`, `PayloadRecordsContract.ts`);
 * what only one backend could do has no place here.
 */
import { type Array, Context, type Effect, Schema } from "effect"
import type { EventStoreError, Reading } from "./EventReader.ts"
import type { ExpectedVersion, Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { EventData } from "./RecordedEvent.ts"
import type { StreamName } from "./StreamName.ts"

/** Another writer was first. Nothing was appended. */
export class WrongExpectedVersion extends Schema.TaggedError<WrongExpectedVersion>()("WrongExpectedVersion", {
  stream: Schema.String
}) {
  override readonly message = "The stream is not at the expected version"
}

export interface Append {
  readonly stream: StreamName
  readonly expected: ExpectedVersion
  readonly events: Array.NonEmptyReadonlyArray<EventData>
  /** Each is named by the field `payloads` of one of the events (`domain/PayloadRef`). */
  readonly payloads?: ReadonlyArray<SealedPayload>
  /**
   * Names of payload records of this stream that go with the commit; names without one are no error. One of `payloads` by
   * such a name is not stored either. A name is not used again. Texts in the blob store stay (`Payloads.removeErased`).
   */
  readonly erases?: ReadonlyArray<string>
}

export interface Appended {
  /** Of the stream, after the append. */
  readonly version: Version
  /** Of the last event appended. */
  readonly position: GlobalPosition
}

export class EventStore extends Context.Service<
  EventStore,
  Reading & {
    /**
     * Durable before it returns; all events, payloads and erasures together, or none. Expected versions are checked
     * atomically: of two racing writers one fails with `WrongExpectedVersion`.
     */
    append(append: Append): Effect.Effect<Appended, WrongExpectedVersion | EventStoreError>
    /**
     * Completes when no append to the stream that failed with `EventStoreError` can come to be on the log any more, unless
     * it is there by then.
     */
    settled(stream: StreamName): Effect.Effect<void>
  }
>()("inferlog/streams/EventStore") {}
