/**
 * A decider is an aggregate's behaviour without its storage: which events a command leads to, and how state
 * follows from events. Deciders are pure: time, identifiers and hashes arrive inside the command.
 */
import type { Result } from "effect"

export interface Decider<State, Command, Event, Rejection> {
  /** The state of a stream that has no event yet. */
  readonly initial: State
  /** The events that a command leads to. None at all means that the command had already taken effect. */
  readonly decide: (command: Command, state: State) => Result.Result<ReadonlyArray<Event>, Rejection>
  /** The state after one more event. Total: an event on the log has happened, whatever the state says. */
  readonly evolve: (state: State, event: Event) => State
}
