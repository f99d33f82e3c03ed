/** The newest messages of the log, in memory: who follows it live asks no server. Bounded by their events. */
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as GlobalPosition from "../GlobalPosition.ts"

const capacity = 4_096

export interface RecentMessages {
  readonly push: (events: ReadonlyArray<RecordedEvent>) => void
  /** Events after `after`, whole messages of some more than `limit`, or `undefined` when they are older than what is kept. */
  readonly page: (
    after: GlobalPosition.GlobalPosition,
    limit: number
  ) => ReadonlyArray<RecordedEvent> | undefined
}

/** `start`: the last position before what is pushed. */
export const make = (start: GlobalPosition.GlobalPosition): RecentMessages => {
  let events: Array<RecordedEvent> = []
  let before = start
  /** First of the events that are after it. */
  const indexAfter = (after: GlobalPosition.GlobalPosition): number => {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = events[middle]
      if (event !== undefined && GlobalPosition.isReached(event.position, after)) low = middle + 1
      else high = middle
    }
    return low
  }
  /** Never within a message: its events have one version, and whoever is given some of them is to be given all. */
  const endOfMessage = (index: number): number => {
    let end = index
    while (end < events.length && events[end]?.version === events[end - 1]?.version) end++
    return end
  }
  return {
    push: (recorded) => {
      for (const event of recorded) events.push(event)
      if (events.length <= 2 * capacity) return
      const dropped = events.length - capacity
      before = events[dropped - 1]?.position ?? before
      events = events.slice(dropped)
    },
    page: (after, limit) => {
      if (GlobalPosition.order(after, before) < 0) return undefined
      const first = indexAfter(after)
      return events.slice(first, endOfMessage(first + limit))
    }
  }
}
