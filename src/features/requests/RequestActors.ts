import { Clock, Context, Effect, Layer } from "effect"
import type { Command, Rejection } from "#domain/inference-request/Command.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { State } from "#domain/inference-request/State.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Actors from "#streams/Actors.ts"

/** Times of commands are on the clock of `SteadyTime`. Their events also have the time of the wall clock. */
const make = (startsOnObserve: boolean) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const steady = yield* SteadyTime
    return yield* Actors.make(InferenceRequest.aggregate, { startsOnObserve }, (event: Event): Event => {
      const ahead = steady.aheadOf(clock)
      return ahead === 0 ? event : { ...event, ahead }
    })
  })

export class RequestActors extends Context.Service<
  RequestActors,
  Actors.Actors<State, Command, Event, Rejection>
>()("inferlog/src/features/requests/RequestActors") {
  static readonly layer = Layer.effect(RequestActors, make(false))

  /** On several nodes, requests of other nodes are known without a read of the log. */
  static readonly layerObserving = Layer.effect(RequestActors, make(true))
}
