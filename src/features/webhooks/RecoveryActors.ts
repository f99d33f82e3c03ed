import { Context, Layer } from "effect"
import * as DeliveryRecovery from "#domain/delivery-recovery/DeliveryRecovery.ts"
import * as Actors from "#streams/Actors.ts"

export class RecoveryActors extends Context.Service<
  RecoveryActors,
  Actors.Actors<
    DeliveryRecovery.State,
    DeliveryRecovery.Command,
    DeliveryRecovery.Event,
    DeliveryRecovery.Rejection
  >
>()("inferlog/src/features/webhooks/RecoveryActors") {
  static readonly layer = Layer.effect(RecoveryActors, Actors.make(DeliveryRecovery.aggregate))
}
