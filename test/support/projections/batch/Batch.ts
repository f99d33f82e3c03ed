/** Applies events to projections on a file batch by batch, without a runner. */
import type { Projection } from "#projections/Projection.ts"
import * as Checkpoints from "#projections/runner/Checkpoints.ts"
import { type Group, makeApply } from "#projections/runner/Group.ts"
import * as Member from "#projections/runner/Member.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import * as Database from "#streams/sqlite/Database.ts"

/** Applies the batches to new tables in the file. Returns the projections that failed. */
export const applyAll = (
  filename: string,
  projections: ReadonlyArray<Projection>,
  batches: ReadonlyArray<ReadonlyArray<RecordedEvent>>
) => {
  const db = Database.open({ filename, synchronous: "NORMAL" })
  const checkpoints = Checkpoints.make(db)
  for (const projection of projections) checkpoints.rebuild(projection)
  const members = projections.map((projection) => Member.open(projection, db))
  const group: Group = { members, checkpoint: Checkpoints.start }
  const apply = makeApply(db, checkpoints)
  const failures = batches.flatMap((events) => apply(group, events))
  db.close()
  return failures
}

/** The events, `size` at a time. */
export const cut = (events: ReadonlyArray<RecordedEvent>, size: number) =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
    events.slice(index * size, (index + 1) * size)
  )
