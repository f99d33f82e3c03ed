/** Tells the projections' thread that a reader waits for it. */

export interface WaitingReaders {
  readonly tell: () => void
  /** Calls the listener for each reader that waits. Returns a function that ends this. */
  readonly listen: (listener: () => void) => () => void
}

export const make = (): WaitingReaders => {
  const listeners = new Set<() => void>()
  return {
    tell: () => {
      for (const listener of listeners) listener()
    },
    listen: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
  }
}
