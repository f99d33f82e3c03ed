import { Context, Layer } from "effect"
import type { Command, Rejection } from "#domain/webhook-delivery/Command.ts"
import type { Event } from "#domain/webhook-delivery/Event.ts"
import type { State } from "#domain/webhook-delivery/State.ts"
import * as WebhookDelivery from "#domain/webhook-delivery/WebhookDelivery.ts"
import * as Actors from "#streams/Actors.ts"

export class DeliveryActors extends Context.Service<
  DeliveryActors,
  Actors.Actors<State, Command, Event, Rejection>
>()("inferlog/src/features/webhooks/DeliveryActors") {
  static readonly layer = Layer.effect(DeliveryActors, Actors.make(WebhookDelivery.aggregate))
}
