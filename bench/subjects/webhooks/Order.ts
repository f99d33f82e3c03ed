/** What the server of the webhook rows is told beside its work, and what it says: one JSON document per line each way. */
import { Schema } from "effect"

/** Records deliveries, each to the next of `urls`, which end where the time that it is due follows. */
export const Schedule = Schema.TaggedStruct("Schedule", {
  deliveries: Schema.Int,
  urls: Schema.NonEmptyArray(Schema.String),
  /** When the first is due, Unix time in ms; `null`: when all are recorded and in the read models, or a moment later. */
  dueAt: Schema.NullOr(Schema.Int),
  /** They fall due one after the other within this time, ms. */
  spreadMs: Schema.Number
})
export type Schedule = typeof Schedule.Type

/** Collects garbage, and says what is left. */
export const Weigh = Schema.TaggedStruct("Weigh", {})

export const Order = Schema.Union([Schedule, Weigh])
export type Order = typeof Order.Type

/** All are recorded and in the read models. */
export const Scheduled = Schema.TaggedStruct("Scheduled", {
  /** Until the first one is due, ms; below 0 it has been due for some time. */
  dueInMs: Schema.Number
})
