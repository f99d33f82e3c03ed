/**
 * All groups of a runner. A projection that is rebuilt forms its own group, so that it delays no other. When a group reaches
 * another one they merge, so groups never overtake each other and finally there is one.
 */
import { Array } from "effect"
import { type GlobalPosition, isReached, order } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Apply, Failure, Group } from "./Group.ts"

interface Advanced extends Pick<Group, "members" | "checkpoint"> {
  readonly failures: ReadonlyArray<Failure>
  /** Whether the group continues on its own. */
  readonly continues: boolean
}

export interface Groups {
  /** Synchronous: nothing may run between a group's last commit and its merge into another group. */
  readonly advance: (group: Group, events: Array.NonEmptyReadonlyArray<RecordedEvent>) => Advanced
}

export const make = (start: ReadonlyArray<Group>, apply: Apply): Groups => {
  const groups = new Set(start)
  return {
    advance: (group, events) => {
      const ahead = nearestAhead(groups, group, events)
      // The reader may have left out the event at which the group ahead stands.
      const failures =
        ahead === undefined ? apply(group, events) : apply(group, upTo(ahead, events), ahead.checkpoint)
      const { members, checkpoint } = group
      if (ahead !== undefined) ahead.members = [...ahead.members, ...members]
      const continues = ahead === undefined && members.length > 0
      if (!continues) groups.delete(group)
      return { members, checkpoint, failures, continues }
    }
  }
}

const nearestAhead = (
  groups: Iterable<Group>,
  group: Group,
  events: Array.NonEmptyReadonlyArray<RecordedEvent>
): Group | undefined => {
  const { position: last } = Array.lastNonEmpty(events)
  let nearest: Group | undefined
  for (const other of groups) {
    if (other === group || !isBetween(group, other, last)) continue
    if (nearest === undefined || isBetween(group, other, nearest.checkpoint.position)) nearest = other
  }
  return nearest
}

const isBetween = (group: Group, other: Group, last: GlobalPosition): boolean => {
  const { position } = other.checkpoint
  return order(position, group.checkpoint.position) > 0 && isReached(position, last)
}

const upTo = ({ checkpoint }: Group, events: ReadonlyArray<RecordedEvent>) =>
  events.filter(({ position }) => isReached(position, checkpoint.position))
