/** Stores the files that outputs name, then settles their requests (contract, "States and transitions"). */
import { Cause, Context, Effect, FiberMap, Layer, Semaphore } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import * as Finalization from "./Finalization.ts"

/** Requests whose files are stored at the same time, and requests that wait. The sweep finds others. */
const concurrency = 8
const mostWaiting = 10_000

export class Finalizer extends Context.Service<
  Finalizer,
  {
    /** Begins to store a request's files, unless this node already does. If that fails, the sweep counts a retry. */
    start(id: RequestId): Effect.Effect<void>
    /** Whether this node stores them now. */
    has(id: RequestId): boolean
  }
>()("inferlog/src/features/dispatch/finalize/Finalizer") {
  static readonly layer = Layer.effect(
    Finalizer,
    Effect.gen(function* () {
      const finalize = yield* Finalization.make
      const fibers = yield* FiberMap.make<RequestId>()
      const slots = yield* Semaphore.make(concurrency)

      const run = (id: RequestId) =>
        slots.withPermit(finalize(id)).pipe(
          Effect.catchCause((cause) =>
            Cause.hasInterruptsOnly(cause)
              ? Effect.interrupt
              : Effect.logError("The files of an output were not stored; the sweep tries again", cause)
          ),
          Effect.annotateLogs({ request_id: id })
        )

      return Finalizer.of({
        start: (id) =>
          Effect.flatMap(FiberMap.size(fibers), (waiting) =>
            waiting >= mostWaiting ? Effect.void : FiberMap.run(fibers, id, run(id), { onlyIfMissing: true })
          ),
        has: (id) => FiberMap.hasUnsafe(fibers, id)
      })
    })
  )
}
