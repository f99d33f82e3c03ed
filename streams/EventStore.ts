/**
 * The log. Every backend passes the same contract tests (`test/support/streams/EventStoreContract.ts`, `PayloadRecordsContract.ts`),
 * so only what all backends can do belongs here.
 */
import { type Array, Context, Effect, type Exit, type Fiber, Schema } from "effect"
import type { EventStoreError, Reading } from "./EventReader.ts"
import type { ExpectedVersion, Version } from "./ExpectedVersion.ts"
import type { GlobalPosition } from "./GlobalPosition.ts"
import type { SealedPayload } from "./SealedPayload.ts"
import type { EventData } from "./RecordedEvent.ts"
import type { StreamName } from "./StreamName.ts"

/** Another writer appended first. Nothing was appended. */
export class WrongExpectedVersion extends Schema.TaggedError<WrongExpectedVersion>()("WrongExpectedVersion", {
  stream: Schema.String
}) {
  override readonly message = "The stream is not at the expected version"
}

export interface Append {
  readonly stream: StreamName
  readonly expected: ExpectedVersion
  readonly events: Array.NonEmptyReadonlyArray<EventData>
  /** Every payload must be named in the field `payloads` of one of the events (`domain/PayloadRef`). */
  readonly payloads?: ReadonlyArray<SealedPayload>
  /**
   * Names of payload records of this stream to erase in the same commit. Unknown names are ignored, and a record of
   * `payloads` with such a name is not stored. A name is never reused. Texts in the blob store stay
   * (`Payloads.removeErased`).
   */
  readonly erases?: ReadonlyArray<string>
}

export interface Appended {
  /** Version of the stream after the append. */
  readonly version: Version
  /** Position of the last appended event. */
  readonly position: GlobalPosition
}

export type AppendError = WrongExpectedVersion | EventStoreError

export class EventStore extends Context.Service<
  EventStore,
  Reading & {
    /**
     * Durable before it returns. Events, payloads and erasures are stored together or not at all. Expected versions are
     * checked atomically: of two racing writers, one fails with `WrongExpectedVersion`.
     */
    append(append: Append): Effect.Effect<Appended, AppendError>
    /** `append` for callers that have no fiber. `onEnd` is called once, possibly before this returns. */
    send(append: Append, onEnd: (exit: Exit.Exit<Appended, AppendError>) => void): void
    /**
     * Waits until the fate of all appends to the stream that failed with `EventStoreError` is final: each is on the log by
     * then or never will be.
     */
    settled(stream: StreamName): Effect.Effect<void>
  }
>()("inferlog/streams/EventStore") {}

type Service = EventStore["Service"]

/** `send` by a fiber that runs `append`. */
export const sendBy =
  (
    append: Service["append"],
    fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E> = Effect.runFork
  ): Service["send"] =>
  (appended, onEnd) =>
    void fork(append(appended)).addObserver(onEnd)

/** The store with another `append`, for both ways of appending. */
export const withAppend = (store: Service, append: Service["append"]): Service => ({
  ...store,
  append,
  send: sendBy(append)
})
