import { Context, Layer } from "effect"
import * as IdempotencyKey from "#domain/idempotency-key/IdempotencyKey.ts"
import * as Actors from "#streams/Actors.ts"

export class IdempotencyKeyActors extends Context.Service<
  IdempotencyKeyActors,
  Actors.Actors<IdempotencyKey.State, IdempotencyKey.Command, IdempotencyKey.Event, IdempotencyKey.Rejection>
>()("inferlog/src/features/requests/IdempotencyKeyActors") {
  static readonly layer = Layer.effect(IdempotencyKeyActors, Actors.make(IdempotencyKey.aggregate))
}
