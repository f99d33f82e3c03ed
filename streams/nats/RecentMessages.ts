/** The newest messages of the log in memory, so that live followers need no server. Bounded by the number of events. */
import type { RecordedEvent } from "../RecordedEvent.ts"
import * as GlobalPosition from "../GlobalPosition.ts"

const capacity = 4_096

export interface RecentMessages {
  readonly push: (events: ReadonlyArray<RecordedEvent>) => void
  /**
   * Events after `after` in complete messages, slightly more than `limit`. `undefined` when they are older than the stored
   * ones.
   */
  readonly page: (
    after: GlobalPosition.GlobalPosition,
    limit: number
  ) => ReadonlyArray<RecordedEvent> | undefined
}

/** `start`: the last position before the first pushed event. */
export const make = (start: GlobalPosition.GlobalPosition): RecentMessages => {
  let events: Array<RecordedEvent> = []
  let before = start
  /** Index of the first event after the position. */
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
  /** Pages never end within a message: its events share a version, so a reader of some must get all. */
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
