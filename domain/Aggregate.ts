/** An aggregate as storage and actors need it: its decider, its events' codec, and the category of its streams. */
import type { Decider } from "./Decider.ts"
import type { DomainEvent, EventCodec } from "./EventCodec.ts"

export interface Aggregate<State, Command, Event extends DomainEvent, Rejection> {
  /** First part of the stream name `{category}-{id}`. */
  readonly category: string
  readonly codec: EventCodec<Event>
  readonly decider: Decider<State, Command, Event, Rejection>
}
