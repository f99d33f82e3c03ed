/** Stores the files that outputs name, and settles their requests then (contract, "States and transitions"). */
import { Context, type Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"

export class Finalizer extends Context.Service<
  Finalizer,
  {
    /**
     * Begins to store the files of a request's output, unless this node is at it already, and returns at once. When that
     * cannot be done for now the sweep counts a retry.
     */
    start(id: RequestId): Effect.Effect<void>
    /** Whether this node is at it. */
    has(id: RequestId): boolean
  }
>()("inferlog/src/reactors/finalize/Finalizer") {}
