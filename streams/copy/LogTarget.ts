/** The log that a copy is written to: by nobody else while it is. */
import type { Effect } from "effect"
import type { EventStoreError, Reading } from "../EventReader.ts"
import type { WrongExpectedVersion } from "../EventStore.ts"
import type { SealedPayload } from "../SealedPayload.ts"
import type { RecordedEvent } from "../RecordedEvent.ts"

/** An event as it stands on the source. */
export interface CopiedEvent {
  readonly event: RecordedEvent
  /** Records of the payloads that it names, as far as they were not erased. */
  readonly payloads: ReadonlyArray<SealedPayload>
}

export interface LogTarget {
  readonly reading: Reading
  /**
   * Puts the events at the end, in their order, each with its payloads and with the erasures that it tells of. Durable
   * when it returns. When it fails, or the process ends, the first of them may be there, but none without those before it.
   */
  readonly append: (
    batch: ReadonlyArray<CopiedEvent>
  ) => Effect.Effect<void, EventStoreError | WrongExpectedVersion>
}
