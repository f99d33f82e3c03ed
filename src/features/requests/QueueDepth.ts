/** The number of requests that wait for a model. */
import { Context, type Effect } from "effect"

export class QueueDepth extends Context.Service<
  QueueDepth,
  {
    /** Trails the log by the projection's lag: a limit on it is soft by that much. */
    of(endpoint: string): Effect.Effect<number>
  }
>()("inferlog/src/features/requests/QueueDepth") {}
