/** `QueueDepth` from the DueWork projection. */
import { Effect, Layer } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import { QueueDepth } from "./QueueDepth.ts"

export const layer = Layer.effect(
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
