import { Context, Layer } from "effect"
import * as WorkerKey from "#domain/worker-key/WorkerKey.ts"
import * as Actors from "#streams/Actors.ts"

export class WorkerKeyActors extends Context.Service<
  WorkerKeyActors,
  Actors.Actors<WorkerKey.State, WorkerKey.Command, WorkerKey.Event, WorkerKey.Rejection>
>()("inferlog/src/features/providers/workers/WorkerKeyActors") {
  static readonly layer = Layer.effect(WorkerKeyActors, Actors.make(WorkerKey.aggregate))
}
