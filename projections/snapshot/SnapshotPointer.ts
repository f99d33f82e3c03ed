/** The list of snapshots: one small record that all nodes of a log share. */
import { Context, Effect, Layer } from "effect"
import type { Snapshots } from "./Snapshot.ts"
import { type SnapshotPointerError, SnapshotPointerMoved } from "./SnapshotError.ts"

export interface Pointer {
  readonly snapshots: Snapshots
  /** Revision of the record. It changes with each `put`. */
  readonly revision: number
}

export class SnapshotPointer extends Context.Service<
  SnapshotPointer,
  {
    /** The last record. `null` when there was none. */
    readonly get: Effect.Effect<Pointer | null, SnapshotPointerError>
    /**
     * Replaces the record if its revision is still `revision` (`null`: no record), and returns the new revision. Durable
     * before it returns.
     */
    put(
      snapshots: Snapshots,
      revision: number | null
    ): Effect.Effect<number, SnapshotPointerMoved | SnapshotPointerError>
  }
>()("inferlog/projections/snapshot/SnapshotPointer") {
  /** Stored for the lifetime of the process. */
  static readonly layerMemory = Layer.sync(SnapshotPointer, () => {
    let pointer: Pointer | null = null
    return SnapshotPointer.of({
      get: Effect.sync(() => pointer),
      put: (snapshots, revision) =>
        Effect.suspend(() => {
          if ((pointer?.revision ?? null) !== revision) return Effect.fail(new SnapshotPointerMoved())
          pointer = { snapshots, revision: (revision ?? 0) + 1 }
          return Effect.succeed(pointer.revision)
        })
    })
  })
}
