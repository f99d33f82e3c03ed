/** Signals the position of the log's end to followers after each commit. */
import { Effect } from "effect"
import * as GlobalPosition from "./GlobalPosition.ts"
import type { RecordedEvent } from "./RecordedEvent.ts"

interface Growth {
  readonly from: GlobalPosition.GlobalPosition
  /** All events between the two heads, if the publisher has them in memory. Otherwise followers read the log. */
  readonly events: ReadonlyArray<RecordedEvent> | undefined
}

export interface HeadSignal {
  readonly current: () => GlobalPosition.GlobalPosition
  /** Ignores a position that is not after the current one. */
  readonly publish: (position: GlobalPosition.GlobalPosition, events?: Growth["events"]) => void
  /** Calls the listener at each publish, which must not throw. Returns a function that ends this. */
  readonly listen: (listener: (growth: Growth) => void) => () => void
  /** Waits until the head is after `position`, and returns it. */
  readonly past: (position: GlobalPosition.GlobalPosition) => Effect.Effect<GlobalPosition.GlobalPosition>
}

export const make = (start: GlobalPosition.GlobalPosition): HeadSignal => {
  let head = start
  const listeners = new Set<(growth: Growth) => void>()
  const waiting = new Set<() => void>()
  return {
    current: () => head,
    publish: (position, events) => {
      if (GlobalPosition.order(position, head) <= 0) return
      const growth = { from: head, events }
      head = position
      // A listener that is added by another one begins with the next publish.
      for (const listener of Array.from(listeners)) if (listeners.has(listener)) listener(growth)
      if (waiting.size === 0) return
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    past: (position) =>
      Effect.callback((resume) => {
        const check = () => {
          if (GlobalPosition.order(head, position) > 0) resume(Effect.succeed(head))
          else waiting.add(check)
        }
        check()
        return Effect.sync(() => waiting.delete(check))
      })
  }
}
