/** Actors with an observer of the events that their commands lead to, for metrics and log lines. */
import { Effect, Exit } from "effect"
import type { Actors, Executed } from "#streams/Actors.ts"

/**
 * `observe` gets the events of a command, at least one, before the caller continues. What it returns, unless that is
 * `Effect.void`, is run before the caller continues, or by `fork` for a command that was sent.
 */
export const make = <State, Command, Event, Rejection>(
  actors: Actors<State, Command, Event, Rejection>,
  observe: (id: string, executed: Executed<State, Event>) => Effect.Effect<void>,
  fork: (effect: Effect.Effect<void>) => unknown
): Actors<State, Command, Event, Rejection> => {
  const observed =
    (execute: typeof actors.execute): typeof actors.execute =>
    (id, command, payloads) =>
      Effect.tap(execute(id, command, payloads), (executed) =>
        executed.events.length === 0 ? Effect.void : observe(id, executed)
      )
  const sent =
    (send: typeof actors.send): typeof actors.send =>
    (id, command, payloads, onEnd) =>
      send(id, command, payloads, (exit) => {
        if (Exit.isSuccess(exit) && exit.value.events.length > 0) {
          const rest = observe(id, exit.value)
          if (rest !== Effect.void) fork(rest)
        }
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
