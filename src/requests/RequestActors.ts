import { Context, Layer } from "effect"
import type { Command, Rejection } from "#domain/inference-request/Command.ts"
import type { Event } from "#domain/inference-request/Event.ts"
import * as InferenceRequest from "#domain/inference-request/InferenceRequest.ts"
import type { State } from "#domain/inference-request/State.ts"
import * as Actors from "#streams/Actors.ts"

export class RequestActors extends Context.Service<
  RequestActors,
  Actors.Actors<State, Command, Event, Rejection>
>()("inferlog/src/requests/RequestActors") {
  static readonly layer = Layer.effect(RequestActors, Actors.make(InferenceRequest.aggregate))

  /** Of one of several nodes: what others submit is known here without a read of the log. */
  static readonly layerObserving = Layer.effect(
    RequestActors,
    Actors.make(InferenceRequest.aggregate, { beginsObserved: true })
  )
}
