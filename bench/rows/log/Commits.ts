/** The appends of T9's subjects: realistic requests, append by append, for the length of the measurement. */
import type { Append } from "#streams/EventStore.ts"
import * as RequestLives from "./RequestLives.ts"
import * as Work from "./Work.ts"

export interface Turn {
  /** Returns the next append and counts it. */
  readonly next: () => Append
  readonly isOver: () => boolean
}

export const serve = (write: (turn: Turn) => void | Promise<void>): void => {
  const appends = RequestLives.appends(Number.POSITIVE_INFINITY)
  Work.serve((seconds) => {
    const end = performance.now() + seconds * 1_000
    let taken = 0
    const next = () => {
      const { done, value } = appends.next()
      if (done === true) throw new Error("expected appends without an end")
      taken++
      return value
    }
    return Work.timed(async () => {
      await write({ next, isOver: () => performance.now() >= end })
      return taken
    })
  })
}
