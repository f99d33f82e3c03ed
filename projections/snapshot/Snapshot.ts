/** The description of a snapshot: a packed copy of the read models of one moment, in the blob store. */
import { Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Projection } from "../Projection.ts"
import type { StoredCheckpoints } from "../runner/StoredCheckpoints.ts"

/** The fields are a storage format that other releases read: add optional ones, never rename. */
export const Snapshot = Schema.Struct({
  /** Key of the blob. */
  key: Schema.String,
  /** Unix time in ms. */
  createdAt: Schema.Int,
  /** The checkpoints and versions of the projections in the snapshot. */
  projections: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      version: Schema.Int,
      position: GlobalPosition.GlobalPosition
    })
  ),
  /** A known end of the log at or after these positions. `null` when it was unknown. */
  anchor: Schema.NullOr(Schema.Struct({ position: GlobalPosition.GlobalPosition, digest: Schema.String })),
  /** Hash of the blob, hexadecimal. */
  sha256: Schema.String,
  /** Bytes of the blob. */
  size: Schema.Int,
  /** Bytes of the unpacked file. */
  fileSize: Schema.Int
})
export type Snapshot = typeof Snapshot.Type

/** The list of snapshots. It is replaced as a whole (`SnapshotPointer`). */
export const Snapshots = Schema.Struct({
  /** Format of this record and of the packed files. A release that changes either raises it. */
  format: Schema.Literal(1),
  newest: Schema.NullOr(Snapshot),
  /** The snapshot before the newest. A node may be downloading it, and it replaces a damaged newest one. */
  before: Schema.NullOr(Snapshot),
  /** Keys of blobs that may exist and will not be read. */
  unneeded: Schema.Array(Schema.String)
})
export type Snapshots = typeof Snapshots.Type

export const none: Snapshots = { format: 1, newest: null, before: null, unneeded: [] }

/** Empty when there is no snapshot. */
export const checkpointsOf = (snapshot: Snapshot | null): StoredCheckpoints =>
  new Map(snapshot?.projections.map(({ name, ...checkpoint }) => [name, checkpoint]))

/**
 * How many events (or commits, by `GlobalPosition.sequence`) fewer remain to be read with the rows of `to` than with those
 * of `from`: the largest gain of a projection minus the largest loss. Rows of other versions do not count.
 */
export const gain = (
  from: StoredCheckpoints,
  to: StoredCheckpoints,
  projections: ReadonlyArray<Projection>
): number => {
  const differences = projections.map((projection) => reach(to, projection) - reach(from, projection))
  return Math.max(0, ...differences) + Math.min(0, ...differences)
}

const reach = (checkpoints: StoredCheckpoints, { name, version }: Projection): number => {
  const found = checkpoints.get(name)
  return found?.version === version ? GlobalPosition.sequence(found.position) : 0
}

/** Fields for log lines. `position` is that of the most advanced projection. */
export const logFields = ({ createdAt, key, projections, size }: Snapshot) => ({
  key,
  position: furthest(projections),
  bytes: size,
  created_at: new Date(createdAt).toISOString()
})

const furthest = (
  checkpoints: Iterable<{ readonly position: GlobalPosition.GlobalPosition }>
): GlobalPosition.GlobalPosition =>
  Array.from(checkpoints, ({ position }) => position).reduce(
    (most, position) => (GlobalPosition.isReached(position, most) ? most : position),
    GlobalPosition.beginning
  )
