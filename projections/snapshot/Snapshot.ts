/** What is known of a snapshot: a copy of the read models of one moment, packed, in the blob store. */
import { Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Projection } from "../Projection.ts"
import type { StoredCheckpoints } from "../runner/StoredCheckpoints.ts"

/** The fields are a storage format that other releases read as well: add optional ones, never rename. */
export const Snapshot = Schema.Struct({
  /** Of the blob. */
  key: Schema.String,
  /** Unix time in ms. */
  createdAt: Schema.Int,
  /** Where the projections stand in it, and of which version they are. */
  projections: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      version: Schema.Int,
      position: GlobalPosition.GlobalPosition
    })
  ),
  /** How far the log was known at that moment, at these positions or after them; `null` when it was not. */
  anchor: Schema.NullOr(Schema.Struct({ position: GlobalPosition.GlobalPosition, digest: Schema.String })),
  /** Of the blob, hexadecimal. */
  sha256: Schema.String,
  /** Bytes of the blob. */
  size: Schema.Int,
  /** Bytes of the unpacked file. */
  fileSize: Schema.Int
})
export type Snapshot = typeof Snapshot.Type

/** Which snapshots there are. It is replaced as a whole (`SnapshotPointer`). */
export const Snapshots = Schema.Struct({
  /** Of this record and of the packed files: another release that does it otherwise raises it. */
  format: Schema.Literal(1),
  newest: Schema.NullOr(Snapshot),
  /** The one before the newest: a node may be downloading it, and it stands in for a damaged one. */
  before: Schema.NullOr(Snapshot),
  /** Keys of blobs that may be there, and that nobody will ask for. */
  unneeded: Schema.Array(Schema.String)
})
export type Snapshots = typeof Snapshots.Type

export const none: Snapshots = { format: 1, newest: null, before: null, unneeded: [] }

/** None when there is no snapshot. */
export const checkpointsOf = (snapshot: Snapshot | null): StoredCheckpoints =>
  new Map(snapshot?.projections.map(({ name, ...checkpoint }) => [name, checkpoint]))

/**
 * How many events (or commits, by `GlobalPosition.sequence`) fewer are left to be read with the rows of `to` than with
 * those of `from`: for the projection that gains most, less what another one loses. Rows of other versions count as none.
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

/** For log lines. `position` is of the furthest projection. */
export const described = ({ createdAt, key, projections, size }: Snapshot) => ({
  key,
  position: furthest(projections),
  bytes: size,
  created_at: new Date(createdAt).toISOString()
})

const furthest = (
  standings: Iterable<{ readonly position: GlobalPosition.GlobalPosition }>
): GlobalPosition.GlobalPosition =>
  Array.from(standings, ({ position }) => position).reduce(
    (most, position) => (GlobalPosition.isReached(position, most) ? most : position),
    GlobalPosition.beginning
  )
