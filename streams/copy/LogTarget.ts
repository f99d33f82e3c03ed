/** The log that a copy is written to. No other process may write to it meanwhile. */
import type { Effect } from "effect"
import type { EventStoreError, Reading } from "../EventReader.ts"
import type { WrongExpectedVersion } from "../EventStore.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"

/** An event of the source. */
export interface CopiedEvent {
  readonly event: RecordedEvent
  /** Records of its payloads that are not erased. */
  readonly payloads: ReadonlyArray<SealedPayload>
}

export interface LogTarget {
  readonly reading: Reading
  /**
   * Appends the events in order, each with its payloads and erasures. Durable when it returns. After a failure or a crash, a
   * prefix of them may be stored, without gaps.
   */
  readonly append: (
    batch: ReadonlyArray<CopiedEvent>
  ) => Effect.Effect<void, EventStoreError | WrongExpectedVersion>
}
