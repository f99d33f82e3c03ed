/**
 * The two times of an event. `at` is on a steady clock that setting the wall clock does not move; due times and durations
 * use it. The record on the log has the date of the wall clock.
 */
import { Schema } from "effect"
import type { JsonObject } from "../CanonicalJson.ts"
import type { DomainEvent, EventCodec } from "../EventCodec.ts"

/** Fields of every event. */
export const fields = {
  /** Unix time in ms on the steady clock. */
  at: Schema.Int,
  /** How far the steady clock was ahead of the wall clock, ms. Absent when both agreed. */
  ahead: Schema.optionalKey(Schema.Int)
}

export interface Timed {
  readonly at: number
  readonly ahead?: number
}

/** The wall clock's time of the event, Unix time in ms. */
export const dateOf = ({ at, ahead = 0 }: Timed): number => at - ahead

/** The wall clock's time at `time`, a time on the steady clock of the event. */
export const dateBy = (time: number, { ahead = 0 }: Pick<Timed, "ahead">): number => time - ahead

interface Recorded {
  readonly time: number
  /** JSON text of `data`. `data` is parsed only when it is read. */
  readonly text: string
  readonly data: JsonObject
}

/** The event's `at`, read from its record. */
export const steadyOf = (recorded: Recorded): number => {
  if (!recorded.text.includes(`"ahead":`)) return recorded.time
  const { ahead } = recorded.data
  return typeof ahead === "number" ? recorded.time + ahead : recorded.time
}

/** Converts between `at` and the wall clock's time in the record. */
export const codec = <Event extends DomainEvent & Timed>(inner: EventCodec<Event>): EventCodec<Event> => ({
  types: inner.types,
  isType: inner.isType,
  schemas: inner.schemas,
  encode: (event) => {
    const encoded = inner.encode(event)
    return event.ahead === undefined ? encoded : { ...encoded, time: dateOf(event) }
  },
  decode: (encoded) => {
    const event = inner.decode(encoded)
    return event.ahead === undefined ? event : { ...event, at: event.at + event.ahead }
  }
})
