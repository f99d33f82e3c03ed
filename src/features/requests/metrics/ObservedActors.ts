/** Actors whose commands are looked at when they have led to something: for counting, and for what an operator is told. */
import { Effect } from "effect"
import type { Actors, Executed } from "#streams/Actors.ts"

/** `observe` gets what a command led to, never nothing, and runs before its caller goes on. */
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
