/** Actors with an observer of the events that their commands lead to, for metrics and log lines. */
import { Effect, Exit } from "effect"
import type { Actors, Executed } from "#streams/Actors.ts"

/**
 * `observe` gets the events of a command, at least one, and runs before the caller continues. `observeSent` is the same for
 * commands that are sent; without it they are not observed.
 */
export const make = <State, Command, Event, Rejection>(
  actors: Actors<State, Command, Event, Rejection>,
  observe: (id: string, executed: Executed<State, Event>) => Effect.Effect<void>,
  observeSent?: (id: string, executed: Executed<State, Event>) => void
): Actors<State, Command, Event, Rejection> => {
  const observed =
    (execute: typeof actors.execute): typeof actors.execute =>
    (id, command, payloads) =>
      Effect.tap(execute(id, command, payloads), (executed) =>
        executed.events.length === 0 ? Effect.void : observe(id, executed)
      )
  const sent = (send: typeof actors.send): typeof actors.send =>
    observeSent === undefined
      ? send
      : (id, command, payloads, onEnd) =>
          send(id, command, payloads, (exit) => {
            if (Exit.isSuccess(exit) && exit.value.events.length > 0) observeSent(id, exit.value)
            onEnd(exit)
          })
  return {
    ...actors,
    execute: observed(actors.execute),
    create: observed(actors.create),
    send: sent(actors.send),
    sendNew: sent(actors.sendNew)
  }
}
