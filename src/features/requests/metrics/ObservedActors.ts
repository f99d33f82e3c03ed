/** Actors with an observer of the events that their commands lead to, for metrics and log lines. */
import { Effect } from "effect"
import type { Actors, Executed } from "#streams/Actors.ts"

/** `observe` gets the events of a command, at least one, and runs before the caller continues. */
export const make = <State, Command, Event, Rejection>(
  actors: Actors<State, Command, Event, Rejection>,
  observe: (id: string, executed: Executed<State, Event>) => Effect.Effect<void>
): Actors<State, Command, Event, Rejection> => {
  const observed =
    (execute: typeof actors.execute): typeof actors.execute =>
    (id, command, payloads) =>
      Effect.tap(execute(id, command, payloads), (executed) =>
        executed.events.length === 0 ? Effect.void : observe(id, executed)
      )
  return { ...actors, execute: observed(actors.execute), create: observed(actors.create) }
}
