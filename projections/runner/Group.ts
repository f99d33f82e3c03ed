/** Projections at the same position advance together, with one read of the log and one transaction per batch. */
import type { DatabaseSync } from "node:sqlite"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Checkpoint, Checkpoints } from "./Checkpoints.ts"
import { isStorageFailure } from "./Failure.ts"
import type { Member } from "./Member.ts"

export interface Group {
  members: ReadonlyArray<Member>
  checkpoint: Checkpoint
}

/** A projection that cannot apply an event and stops before it. */
export interface Failure {
  readonly member: Member
  /** The position where it stops. */
  readonly position: GlobalPosition
  readonly event: RecordedEvent
  readonly cause: unknown
}

/**
 * Applies the events to all members. Each transaction is complete or rolled back. A member that fails leaves the group; the
 * others have applied everything when this returns. Throws when the file cannot be written. The checkpoint becomes
 * `reached`, or the last event if that is absent.
 */
export type Apply = (
  group: Group,
  events: ReadonlyArray<RecordedEvent>,
  reached?: Checkpoint
) => ReadonlyArray<Failure>

type Events = ReadonlyArray<RecordedEvent>

/** An error of a member. */
class Unapplied {
  readonly member: Member
  readonly cause: unknown
  /** Index of the event. `undefined` when the error appeared while the changes of several events were written. */
  readonly index: number | undefined
  constructor(member: Member, cause: unknown, index: number | undefined) {
    this.member = member
    this.cause = cause
    this.index = index
  }
}

export const makeApply = (db: DatabaseSync, checkpoints: Checkpoints): Apply => {
  /** Applies the events from `first` (inclusive) to `end` (exclusive) and writes their changes. */
  const applyTo = (member: Member, events: Events, first: number, end: number) => {
    let index = first
    try {
      for (; index < end; index++) {
        const event = events[index]
        if (event !== undefined) member.rules.get(event.type)?.(event)
      }
      for (const buffer of member.buffers) buffer.write()
    } catch (cause) {
      if (isStorageFailure(cause)) throw cause
      const isKnown = index < end || end - first === 1
      throw new Unapplied(member, cause, isKnown ? Math.min(index, end - 1) : undefined)
    }
  }

  /**
   * Applies all events in one transaction and writes changes after every `step` events. Returns the failure, after a
   * rollback.
   */
  const transact = (
    group: Group,
    events: Events,
    step: number,
    checkpoint: Checkpoint
  ): Unapplied | undefined => {
    db.exec("BEGIN IMMEDIATE")
    try {
      for (let first = 0; first < events.length; first += step) {
        const end = Math.min(first + step, events.length)
        for (const member of group.members) applyTo(member, events, first, end)
      }
      for (const { name } of group.members) checkpoints.write(name, checkpoint)
      db.exec("COMMIT")
      group.checkpoint = checkpoint
      return undefined
    } catch (cause) {
      for (const { buffers } of group.members) for (const { forget } of buffers) forget()
      if (db.isTransaction) db.exec("ROLLBACK")
      if (cause instanceof Unapplied) return cause
      throw cause
    }
  }

  const apply: Apply = (group, events, reached) => {
    const end = reached ?? after(group.checkpoint, events)
    if (end === undefined || group.members.length === 0) return []
    const failed = transact(group, events, events.length, end)
    const known =
      failed !== undefined && failed.index === undefined ? transact(group, events, 1, end) : failed
    const event = known?.index === undefined ? undefined : events[known.index]
    if (known === undefined || event === undefined) return []
    const { member, cause, index } = known
    // All members advance up to the failure, the failing one too. The others continue from there.
    const failures = apply(group, events.slice(0, index))
    const { position } = group.checkpoint
    group.members = group.members.filter((other) => other !== member)
    return [...failures, { member, position, event, cause }, ...apply(group, events.slice(index), reached)]
  }
  return apply
}

/** The checkpoint at the last event. */
const after = ({ position }: Checkpoint, events: Events): Checkpoint | undefined => {
  const last = events.at(-1)
  return last && { position: last.position, previous: events.at(-2)?.position ?? position, hash: last.hash }
}
