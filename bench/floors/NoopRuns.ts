/** Workers that do nothing but say so: what is submitted is started, then completed, in the order that it came. */
import type { GroupCommit } from "./GroupCommit.ts"

export interface NoopRuns {
  readonly submitted: (id: string) => void
}

/** Runs at once. */
const maxInFlight = 64

export const make = (log: GroupCommit): NoopRuns => {
  let queue: Array<string> = []
  /** Of `queue`, the next. Taken from the front one by one, an array would be copied each time. */
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
