/** What storage and actors need of an aggregate: its decider, the codec of its events, and the category of its streams. */
import type { Decider } from "./Decider.ts"
import type { DomainEvent, EventCodec } from "./EventCodec.ts"

export interface Aggregate<State, Command, Event extends DomainEvent, Rejection> {
  /** First part of the stream name `{category}-{id}`. */
  readonly category: string
  readonly codec: EventCodec<Event>
  readonly decider: Decider<State, Command, Event, Rejection>
}
