/** Workers that do nothing: they record the start and the completion of each request in order of submission. */
import type { GroupCommit } from "./GroupCommit.ts"

export interface NoopRuns {
  readonly submitted: (id: string) => void
}

/** Concurrent runs. */
const maxInFlight = 64

export const make = (log: GroupCommit): NoopRuns => {
  let queue: Array<string> = []
  /** Index of the next item of `queue`. Removing items from the front would copy the array each time. */
  let next = 0
  let inFlight = 0

  const run = (id: string) => {
    inFlight++
    log.append({ stream: id, ordinal: 1, type: "RequestStarted", data: "{}" }, () =>
      log.append({ stream: id, ordinal: 2, type: "RequestCompleted", data: "{}" }, () => {
        inFlight--
        advance()
      })
    )
  }

  const advance = () => {
    while (inFlight < maxInFlight) {
      const id = queue[next]
      if (id === undefined) break
      next++
      run(id)
    }
    if (next === queue.length) {
      queue = []
      next = 0
    }
  }

  return {
    submitted: (id) => {
      queue.push(id)
      advance()
    }
  }
}
