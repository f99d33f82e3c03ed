/** Tells followers of the log how far it goes, after the commit. No event travels this way: they read the log themselves. */
import { Effect } from "effect"
import * as GlobalPosition from "./GlobalPosition.ts"

export interface HeadSignal {
  readonly current: () => GlobalPosition.GlobalPosition
  /** Ignores a position that is not past the current one. */
  readonly publish: (position: GlobalPosition.GlobalPosition) => void
  /** The head, as soon as it is past `position`. */
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
