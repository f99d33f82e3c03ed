import type { Decider } from "#domain/Aggregate.ts"

/** The state after all `events`, starting from `state`. */
export const replay = <State, Command, Event, Rejection>(
  decider: Decider<State, Command, Event, Rejection>,
  events: Iterable<Event>,
  state: State = decider.initial
): State => {
  let current = state
  for (const event of events) current = decider.evolve(current, event)
  return current
}
