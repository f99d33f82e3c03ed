/** Projections that stand at the same position go on together: one read of the log and one transaction per batch. */
import type { DatabaseSync } from "node:sqlite"
import { Array } from "effect"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Checkpoint, Checkpoints } from "./Checkpoints.ts"
import { isStorageFailure } from "./Failure.ts"

export interface Member {
  readonly name: string
  readonly rules: ReadonlyMap<string, (event: RecordedEvent) => void>
}

export interface Group {
  members: ReadonlyArray<Member>
  checkpoint: Checkpoint
}

/** A projection that cannot apply an event. It stays where it is, just before it. */
export interface Failure {
  readonly member: Member
  /** Where it stays. */
  readonly position: GlobalPosition
  readonly event: RecordedEvent
  readonly cause: unknown
}

/**
 * Applies the events to all members and moves them on, each transaction whole or not at all. A member that fails leaves
 * the group; the others have applied everything when this returns. Throws when the file cannot be written.
 */
export type Apply = (group: Group, events: ReadonlyArray<RecordedEvent>) => ReadonlyArray<Failure>

export const makeApply = (db: DatabaseSync, checkpoints: Checkpoints): Apply => {
  /** Returns who failed, and at which of the events; nothing has happened then. */
  const transact = (group: Group, events: Array.NonEmptyReadonlyArray<RecordedEvent>) => {
    db.exec("BEGIN IMMEDIATE")
    try {
      for (const [index, event] of events.entries()) {
        for (const member of group.members) {
          try {
            member.rules.get(event.type)?.(event)
          } catch (cause) {
            if (isStorageFailure(cause)) throw cause
            db.exec("ROLLBACK")
            return { index, member, event, cause }
          }
        }
      }
      const checkpoint = after(group.checkpoint, events)
      for (const { name } of group.members) checkpoints.write(name, checkpoint)
      db.exec("COMMIT")
      group.checkpoint = checkpoint
      return undefined
    } catch (cause) {
      if (db.isTransaction) db.exec("ROLLBACK")
      throw cause
    }
  }

  const apply: Apply = (group, events) => {
    if (!Array.isReadonlyArrayNonEmpty(events) || group.members.length === 0) return []
    const failed = transact(group, events)
    if (failed === undefined) return []
    const { index, ...failure } = failed
    // Up to the failure everybody moves on, the failing one too; from there the others do.
    const earlier = apply(group, events.slice(0, index))
    const { position } = group.checkpoint
    group.members = group.members.filter((member) => member !== failure.member)
    return [...earlier, { ...failure, position }, ...apply(group, events.slice(index))]
  }
  return apply
}

const after = ({ position }: Checkpoint, events: Array.NonEmptyReadonlyArray<RecordedEvent>): Checkpoint => {
  const { position: reached, hash } = Array.lastNonEmpty(events)
  return { position: reached, previous: events.at(-2)?.position ?? position, hash }
}
