/**
 * A decider is the behaviour of an aggregate without its storage: which events follow from a command, and which state
 * follows from events. Deciders are pure: time, ids and hashes are fields of the command.
 */
import type { Result } from "effect"

export interface Decider<State, Command, Event, Rejection> {
  /** The state of a stream without events. */
  readonly initial: State
  /** The events that follow from a command. An empty list means that the command has already taken effect. */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Rejection>
  /** The state after one more event. It never fails, because an event on the log is a fact. */
  readonly evolve: (state: State, event: Event) => State
}
