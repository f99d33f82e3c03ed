/** The number of requests that wait for a model, as the work queue has it. */
import { Context, Effect, Layer } from "effect"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import { DueWork } from "#projections/due-work/DueWork.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export interface Depth {
  readonly queued: number
  /** `queued` counts every event up to here, and maybe later ones. */
  readonly position: GlobalPosition.GlobalPosition
}

const { name: projection } = DueWorkProjection.projection

/** A limit that cannot be checked is not a reason to refuse a request. */
const unknown: Depth = { queued: 0, position: GlobalPosition.beginning }

export class QueueDepth extends Context.Service<
  QueueDepth,
  {
    /** Trails the log by the projection's lag. */
    of(endpoint: string): Effect.Effect<Depth>
    /** Waits at most 2 s until `of` counts everything that is on the log now. */
    readonly caughtUp: Effect.Effect<void>
  }
>()("inferlog/src/features/requests/QueueDepth") {
  static readonly layer = Layer.effect(
    QueueDepth,
    Effect.gen(function* () {
      const dueWork = yield* DueWork
      const { caughtUp, states } = yield* Projections
      return QueueDepth.of({
        // The position is read first, because the rows may move on before they are read.
        of: (endpoint) =>
          Effect.flatMap(states, (now) => {
            const position = now.get(projection)?.position ?? GlobalPosition.beginning
            return dueWork.depth(ModelEndpoint.make(endpoint)).pipe(
              Effect.map((queued): Depth => ({ queued, position })),
              Effect.tapError((error) => Effect.logWarning("The depth of a queue is not known", error)),
              Effect.orElseSucceed(() => unknown)
            )
          }),
        caughtUp: Effect.ignore(caughtUp(projection))
      })
    })
  )
}
