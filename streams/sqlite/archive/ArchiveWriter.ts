/** The open log as the archive changes it. */
import { Context, type Effect } from "effect"
import type { EventStoreError } from "../../EventReader.ts"
import type { LogUnavailable } from "../../LogUnavailable.ts"
import type { RecordedEvent } from "../../RecordedEvent.ts"
import type { ArchiveFrame } from "../thread/Protocol.ts"
import type { Tables } from "./Tables.ts"

export class ArchiveWriter extends Context.Service<
  ArchiveWriter,
  {
    /** Moves the events of a frame of a durable segment out of the tables. Repeatable. */
    readonly archive: (frame: ArchiveFrame) => Effect.Effect<void, EventStoreError>
    readonly tables: () => Tables
    /** A page of the events after `after` that are not archived, in order. */
    readonly rows: (
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RecordedEvent>, LogUnavailable>
  }
>()("inferlog/streams/sqlite/archive/ArchiveWriter") {
  static readonly pageSize = 2_048
}
