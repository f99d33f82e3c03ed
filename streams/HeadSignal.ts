/**
 * Signals the position of the log's end to followers after each commit. Followers read the events from the log themselves.
 */
import { Effect } from "effect"
import * as GlobalPosition from "./GlobalPosition.ts"

export interface HeadSignal {
  readonly current: () => GlobalPosition.GlobalPosition
  /** Ignores a position that is not after the current one. */
  readonly publish: (position: GlobalPosition.GlobalPosition) => void
  /** Waits until the head is after `position`, and returns it. */
  readonly past: (position: GlobalPosition.GlobalPosition) => Effect.Effect<GlobalPosition.GlobalPosition>
}

export const make = (start: GlobalPosition.GlobalPosition): HeadSignal => {
  let head = start
  const waiting = new Set<() => void>()
  return {
    current: () => head,
    publish: (position) => {
      if (GlobalPosition.order(position, head) <= 0) return
      head = position
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
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
