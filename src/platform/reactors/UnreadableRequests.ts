/** Requests whose events this release cannot read. Each is logged once and then skipped, so that it delays no other request. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"

export interface Unreadable {
  readonly has: (id: RequestId) => boolean
  readonly count: () => number
  /** Returns `otherwise` when the effect dies. Later calls for the same request return `otherwise` without running it. */
  readonly orElse: <A>(
    id: RequestId,
    otherwise: A
  ) => <E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** @param doing completes the log line "A request cannot …", as in `be swept`. */
export const make = (doing: string): Unreadable => {
  const ids = new Set<RequestId>()

  const leaveAlone = (id: RequestId, defect: unknown) => {
    ids.add(id)
    return Effect.logError(`A request cannot ${doing}; it is skipped until the next start`, defect)
  }

  return {
    has: (id) => ids.has(id),
    count: () => ids.size,
    orElse: (id, otherwise) => (effect) =>
      Effect.suspend(() =>
        ids.has(id)
          ? Effect.succeed(otherwise)
          : Effect.catchDefect(effect, (defect) => Effect.as(leaveAlone(id, defect), otherwise))
      )
  }
}
