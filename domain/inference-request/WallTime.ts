/**
 * The two times of an event. `at` is on a clock that nobody sets: what is due and what took how long is reckoned by it. The
 * date of the event is the wall clock's, and that is the time of its record on the log.
 */
import { Schema } from "effect"
import type { JsonObject } from "../CanonicalJson.ts"
import type { DomainEvent, EventCodec } from "../EventCodec.ts"

/** Fields of every event. */
export const fields = {
  /** Unix time in ms, on a clock that nobody sets. */
  at: Schema.Int,
  /** How far that clock was ahead of the wall clock, ms; absent where the two agreed. */
  ahead: Schema.optionalKey(Schema.Int)
}

export interface Timed {
  readonly at: number
  readonly ahead?: number
}

/** What the wall clock showed, Unix time in ms. */
export const dateOf = ({ at, ahead = 0 }: Timed): number => at - ahead

/** What the wall clock showed at `time`, a time on the clock of the event's `at`. */
export const dateBy = (time: number, { ahead = 0 }: Pick<Timed, "ahead">): number => time - ahead

interface Recorded {
  readonly time: number
  /** JSON text of `data`, which is parsed only when it is asked for. */
  readonly text: string
  readonly data: JsonObject
}

/** `at` of a record of a request's event. */
export const steadyOf = (recorded: Recorded): number => {
  if (!recorded.text.includes(`"ahead":`)) return recorded.time
  const { ahead } = recorded.data
  return typeof ahead === "number" ? recorded.time + ahead : recorded.time
}

/** Records have the wall clock's time. */
export const codec = <Event extends DomainEvent & Timed>(inner: EventCodec<Event>): EventCodec<Event> => ({
  types: inner.types,
  isType: inner.isType,
  encode: (event) => {
    const encoded = inner.encode(event)
    return event.ahead === undefined ? encoded : { ...encoded, time: dateOf(event) }
  },
  decode: (encoded) => {
    const event = inner.decode(encoded)
    return event.ahead === undefined ? event : { ...event, at: event.at + event.ahead }
  }
})
