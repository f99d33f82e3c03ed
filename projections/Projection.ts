/** What a projection is: the tables of one read model, and how an event changes their rows. */
import type { DatabaseSync } from "node:sqlite"
import { Schema } from "effect"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"

export interface Projection {
  /** Lower-case letters. Its tables are named `{name}_…`, and nothing else is. */
  readonly name: string
  /** Raise it when the tables or what is written into them change: the rows are then built anew from the log. */
  readonly version: number
  /** DDL of its tables and indexes. */
  readonly tables: string
  /**
   * Prepares its statements on a connection whose tables exist. Events of types that no rule names are skipped unread.
   * Rows are all it may remember: a batch may be undone and applied again.
   */
  readonly open: (db: DatabaseSync) => ReadonlyArray<Rule>
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
 * The rule for events of one type. `data` names the fields to decode: a replay is as fast as what it reads is small. The
 * event's time is `event.time`, its stream's id `StreamName.idOf(event.stream)`.
 */
export const on = <Data extends Schema.ConstraintDecoder<unknown>>(
  { fields }: EventSchema,
  data: Data,
  apply: (data: Data["Type"], event: RecordedEvent) => void
): Rule => {
  const decode = Schema.decodeUnknownSync(data)
  return { type: fields._tag.schema.literal, apply: (event) => apply(decode(event.data), event) }
}

/** The rule for events of one type that needs their time and stream alone: the data is not even parsed. */
export const onType = ({ fields }: EventSchema, apply: (event: RecordedEvent) => void): Rule => ({
  type: fields._tag.schema.literal,
  apply
})
