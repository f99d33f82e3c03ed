/** The number of requests that wait for a model. */
import { Context, Effect, Layer } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"

export class QueueDepth extends Context.Service<
  QueueDepth,
  {
    /** Trails the log by the projection's lag, so a limit on it is approximate. */
    of(endpoint: string): Effect.Effect<number>
  }
>()("inferlog/src/features/requests/QueueDepth") {
  static readonly layer = Layer.effect(
    QueueDepth,
    Effect.map(DueWork, (dueWork) =>
      QueueDepth.of({
        // A limit that cannot be checked is not a reason to refuse a request.
        of: (endpoint) =>
          dueWork.depth(ModelEndpoint.make(endpoint)).pipe(
            Effect.tapError((error) => Effect.logWarning("The depth of a queue is not known", error)),
            Effect.orElseSucceed(() => 0)
          )
      })
    )
  )
}
