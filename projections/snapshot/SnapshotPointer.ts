/** Where it is written down which snapshots there are: one small record that all nodes of a log share. */
import { Context, Effect, Layer } from "effect"
import type { Snapshots } from "./Snapshot.ts"
import { type SnapshotPointerError, SnapshotPointerMoved } from "./SnapshotError.ts"

export interface Pointer {
  readonly snapshots: Snapshots
  /** Of the record: another one after each `put`. */
  readonly revision: number
}

export class SnapshotPointer extends Context.Service<
  SnapshotPointer,
  {
    /** What was put last; `null` when nothing ever was. */
    readonly get: Effect.Effect<Pointer | null, SnapshotPointerError>
    /**
     * Durable before it returns. Only when nobody has put anything since `revision`, which is `null` when there was nothing.
     * Returns the new revision.
     */
    put(
      snapshots: Snapshots,
      revision: number | null
    ): Effect.Effect<number, SnapshotPointerMoved | SnapshotPointerError>
  }
>()("inferlog/projections/snapshot/SnapshotPointer") {
  /** Lasts as long as the process. */
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
