/** The newest committed events in memory, so that live followers read neither disk nor JSON. Bounded. */
import type { RecordedEvent } from "../RecordedEvent.ts"

const capacity = 1_024

export interface RecentEvents {
  readonly push: (events: ReadonlyArray<RecordedEvent>) => void
  /** Up to `limit` events after sequence number `after`. `undefined` when they are older than the stored ones. */
  readonly page: (after: number, limit: number) => ReadonlyArray<RecordedEvent> | undefined
}

/** `start`: sequence number of the log's last event. */
export const make = (start: number): RecentEvents => {
  let events: Array<RecordedEvent> = []
  let before = start
  return {
    push: (committed) => {
      events.push(...committed)
      if (events.length <= 2 * capacity) return
      const dropped = events.length - capacity
      events = events.slice(dropped)
      before += dropped
    },
    page: (after, limit) =>
      after < before ? undefined : events.slice(after - before, after - before + limit)
  }
}
