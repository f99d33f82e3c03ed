import type { Result } from "effect"
import type { DomainEvent, EventCodec } from "./EventCodec.ts"

/**
 * The behaviour of an aggregate without its storage: which events follow from a command, and which state follows from
 * events. Deciders are pure: time, ids and hashes are fields of the command.
 */
export interface Decider<State, Command, Event, Rejection> {
  /** The state of a stream without events. */
  readonly initial: State
  /** The events that follow from a command. An empty list means that the command has already taken effect. */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Rejection>
  /** The state after one more event. It never fails, because an event on the log is a fact. */
  readonly evolve: (state: State, event: Event) => State
}

/** What storage and actors need of an aggregate. */
export interface Aggregate<State, Command, Event extends DomainEvent, Rejection> {
  /** First part of the stream name `{category}-{id}`. */
  readonly category: string
  readonly codec: EventCodec<Event>
  readonly decider: Decider<State, Command, Event, Rejection>
}
