import { Context, Layer } from "effect"
import * as OperatorAction from "#domain/operator-action/OperatorAction.ts"
import * as OperatorIdentity from "#domain/operator-identity/OperatorIdentity.ts"
import * as Operator from "#domain/operator/Operator.ts"
import * as Actors from "#streams/Actors.ts"

export class OperatorActors extends Context.Service<
  OperatorActors,
  Actors.Actors<Operator.State, Operator.Command, Operator.Event, Operator.Rejection>
>()("inferlog/src/features/operators/OperatorActors") {
  static readonly layer = Layer.effect(OperatorActors, Actors.make(Operator.aggregate))
}

export class OperatorIdentityActors extends Context.Service<
  OperatorIdentityActors,
  Actors.Actors<
    OperatorIdentity.State,
    OperatorIdentity.Command,
    OperatorIdentity.Event,
    OperatorIdentity.Rejection
  >
>()("inferlog/src/features/operators/OperatorIdentityActors") {
  static readonly layer = Layer.effect(OperatorIdentityActors, Actors.make(OperatorIdentity.aggregate))
}

/** An action is written by one node only. */
export class OperatorActionActors extends Context.Service<
  OperatorActionActors,
  Actors.Actors<OperatorAction.State, OperatorAction.Command, OperatorAction.Event, never>
>()("inferlog/src/features/operators/OperatorActionActors") {
  static readonly layer = Layer.effect(OperatorActionActors, Actors.make(OperatorAction.aggregate))
}
