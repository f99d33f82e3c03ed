/** A projection: the tables of a read model, and how events change their rows. */
import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

export interface Projection {
  /** Lower-case letters. The projection's tables, and only those, are named `{name}_…`. */
  readonly name: string
  /** Raise it when the tables or their content change. The rows are then rebuilt from the log. */
  readonly version: number
  /**
   * Categories of its events' streams, if they are a small part of the log. The projection is then built from those streams
   * alone, without reading the whole log.
   */
  readonly categories?: ReadonlyArray<string>
  /** The DDL of its tables and indexes. */
  readonly tables: string
  /** Prepares statements. The tables exist. */
  readonly open: (db: DatabaseSync) => Opened
}

interface Opened {
  /** Events without a rule are skipped unread. */
  readonly rules: ReadonlyArray<Rule>
  /**
   * Changes that rules collect during a batch (`batch/Rows`, `batch/Counters`). Between batches, a projection may have no
   * state but its rows and copies of them: a batch may be rolled back and applied again with other boundaries.
   */
  readonly buffers?: ReadonlyArray<BatchBuffer>
}

/** Changes of a batch that are not written yet. */
export interface BatchBuffer {
  /** Writes the changes in the batch's transaction. Throws what the rules would throw if they wrote directly. */
  readonly write: () => void
  /** Discards the changes when the batch is rolled back. */
  readonly forget: () => void
}

/** Several buffers as one. */
export const combine = (...buffers: ReadonlyArray<BatchBuffer>): BatchBuffer => ({
  write: () => {
    for (const { write } of buffers) write()
  },
  forget: () => {
    for (const { forget } of buffers) forget()
  }
})

/** How events of one type change the rows. */
export interface Rule {
  readonly type: string
  /** Throws if it cannot apply the event. The projection then stops before it. */
  readonly apply: (event: RecordedEvent) => void
}

interface EventSchema {
  readonly fields: { readonly _tag: { readonly schema: { readonly literal: string } } }
}

export const typeOf = ({ fields }: EventSchema): string => fields._tag.schema.literal

/**
 * A rule for events of one type. Read the fields with `EventFields`, which checks them. The event's time is `event.time`,
 * and its stream's id is `StreamName.idOf(event.stream)`.
 */
export const on = (schema: EventSchema, apply: (data: JsonObject, event: RecordedEvent) => void): Rule => ({
  type: typeOf(schema),
  apply: (event) => apply(event.data, event)
})

/** A rule that needs only the time and stream of the event. The data is not parsed. */
export const onType = (schema: EventSchema, apply: (event: RecordedEvent) => void): Rule => ({
  type: typeOf(schema),
  apply
})
