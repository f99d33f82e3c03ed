/** The protocol of the webhook rows' server: one JSON document per line in each direction. */
import { Schema } from "effect"

/** Records deliveries to `urls` in turn. The due time is appended to each URL. */
export const Schedule = Schema.TaggedStruct("Schedule", {
  deliveries: Schema.Int,
  urls: Schema.NonEmptyArray(Schema.String),
  /** When the first is due, Unix time in ms; `null`: as soon as all are recorded and in the read models. */
  dueAt: Schema.NullOr(Schema.Int),
  /** The time over which they fall due one by one, ms. */
  spreadMs: Schema.Number
})
export type Schedule = typeof Schedule.Type

/** Collects garbage and reports the remaining memory. */
export const Weigh = Schema.TaggedStruct("Weigh", {})

export const Order = Schema.Union([Schedule, Weigh])
export type Order = typeof Order.Type

/** The answer when all are recorded and in the read models. */
export const Scheduled = Schema.TaggedStruct("Scheduled", {
  /** Time until the first is due, ms; negative if it is already due. */
  dueInMs: Schema.Number
})
