/**
 * All groups of a runner. A projection that is built anew is a group of its own, so that it delays nobody, until it meets
 * one that is ahead: groups never pass one another, so in the end there is one.
 */
import { Array } from "effect"
import { type GlobalPosition, isReached, order } from "#streams/GlobalPosition.ts"
import type { RecordedEvent } from "#streams/RecordedEvent.ts"
import type { Apply, Failure, Group } from "./Group.ts"

interface Advanced extends Pick<Group, "members" | "checkpoint"> {
  readonly failures: ReadonlyArray<Failure>
  /** Whether the group has further to go by itself. */
  readonly goesOn: boolean
}

export interface Groups {
  /** In one step: nothing else may run between a group's last commit and its joining another. */
  readonly advance: (group: Group, events: Array.NonEmptyReadonlyArray<RecordedEvent>) => Advanced
}

export const make = (start: ReadonlyArray<Group>, apply: Apply): Groups => {
  const groups = new Set(start)
  return {
    advance: (group, events) => {
      const ahead = nearestAhead(groups, group, events)
      const failures = apply(group, ahead === undefined ? events : upTo(ahead, events))
      const { members, checkpoint } = group
      if (ahead !== undefined) ahead.members = [...ahead.members, ...members]
      const goesOn = ahead === undefined && members.length > 0
      if (!goesOn) groups.delete(group)
      return { members, checkpoint, failures, goesOn }
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
