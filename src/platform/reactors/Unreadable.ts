/** Requests whose events cannot be read: they wait for another release. Each is told of once, and keeps no other waiting. */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"

export interface Unreadable {
  readonly has: (id: RequestId) => boolean
  readonly count: () => number
  /** When what is done with the request dies, it gives `otherwise` instead, and from then on without being done. */
  readonly orElse: <A>(
    id: RequestId,
    otherwise: A
  ) => <E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** @param doing what cannot be done with them, as the log has it: `be swept`. */
export const make = (doing: string): Unreadable => {
  const ids = new Set<RequestId>()

  const leaveAlone = (id: RequestId, defect: unknown) => {
    ids.add(id)
    return Effect.logError(`A request cannot ${doing}; it is left alone until the next start`, defect)
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
