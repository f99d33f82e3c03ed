/** What a projection is: the tables of one read model, and how an event changes their rows. */
import type { DatabaseSync } from "node:sqlite"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

export interface Projection {
  /** Lower-case letters. Its tables are named `{name}_…`, and nothing else is. */
  readonly name: string
  /** Raise it when the tables or what is written into them change: the rows are then built anew from the log. */
  readonly version: number
  /**
   * Categories of the streams that its events are in, where these are few among all: from them alone it is built at once,
   * however long the log is.
   */
  readonly categories?: ReadonlyArray<string>
  /** DDL of its tables and indexes. */
  readonly tables: string
  /** Prepares its statements on a connection whose tables exist. */
  readonly open: (db: DatabaseSync) => Opened
}

interface Opened {
  /** Events of types that no rule names are skipped unread. */
  readonly rules: ReadonlyArray<Rule>
  /**
   * What the rules keep of a batch instead of writing it at once (`batch/Rows`, `batch/Counters`). Between two batches
   * rows are all that a projection may remember: a batch may be undone and applied again, cut in other places.
   */
  readonly buffers?: ReadonlyArray<BatchBuffer>
}

/** Changes of one batch that are in memory yet. */
export interface BatchBuffer {
  /** Writes them, in the batch's transaction. Throws what the rules would have thrown, had they written at once. */
  readonly write: () => void
  /** Drops them: the batch is undone. */
  readonly forget: () => void
}

/** What an event of one type does to the rows. */
export interface Rule {
  readonly type: string
  /** Throws on an event that it cannot apply; the projection then stops before it. */
  readonly apply: (event: RecordedEvent) => void
}

interface EventSchema {
  readonly fields: { readonly _tag: { readonly schema: { readonly literal: string } } }
}

/**
 * The rule for events of one type. It reads the fields that it needs through `EventFields`, which checks them. The
 * event's time is `event.time`, its stream's id `StreamName.idOf(event.stream)`.
 */
export const on = (
  { fields }: EventSchema,
  apply: (data: JsonObject, event: RecordedEvent) => void
): Rule => ({ type: fields._tag.schema.literal, apply: (event) => apply(event.data, event) })

/** The rule for events of one type that needs their time and stream alone: the data is not even parsed. */
export const onType = ({ fields }: EventSchema, apply: (event: RecordedEvent) => void): Rule => ({
  type: fields._tag.schema.literal,
  apply
})
