/** Ends requests past their deadlines, and stops their runs (decisions, "Deadlines"). */
import { Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { DueWork, type PassedDeadline } from "#projections/due-work/DueWork.ts"
import { Runs } from "../Runs.ts"
import * as PagedRows from "#src/platform/reactors/PagedRows.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { DeadlineHints } from "#src/features/requests/DeadlineHints.ts"

const pageSize = 500
const concurrency = 64

/**
 * Ends the requests that the work queue shows with a deadline at or before `now`, if the log agrees, and returns their
 * number. With `isOurs` only those. A later answer of a provider that does not stop is ignored. Fails if log or queue
 * cannot be read; the next call finds the rest.
 */
export const make = Effect.gen(function* () {
  const dueWork = yield* DueWork
  const actors = yield* RequestActors
  const runs = yield* Runs
  const hints = yield* DeadlineHints
  const unreadable = UnreadableRequests.make("be ended at its deadline")

  /** True if this call ended it. Nothing interrupts between end and stop: the queue would not show the run again. */
  const expire = Effect.fnUntraced(function* (id: RequestId, at: number) {
    const { events, state } = yield* actors.execute(id, { _tag: "Expire", at })
    if (state._tag === "NotSubmitted") return false
    if (state.phase._tag === "Cancelled") yield* runs.stop(id)
    // The queue lagged: it did not show the start, and may not show the other deadline in time.
    const { endBy } = state.submitted.deadlines ?? {}
    if (events.length === 0 && endBy !== undefined && endBy > at) hints.hint(endBy)
    return events.length > 0
  }, Effect.uninterruptible)

  const expireOne = (id: RequestId, at: number) =>
    expire(id, at).pipe(
      Effect.catchTag(["RequestNotFound", "NotDispatchable", "RequestNotEnded"], Effect.die),
      unreadable.orElse(id, false),
      Effect.annotateLogs({ request_id: id })
    )

  return Effect.fnUntraced(function* (now: number, isOurs?: (deadline: PassedDeadline) => boolean) {
    let count = 0
    yield* PagedRows.forEach({
      read: (after: PassedDeadline | null) => dueWork.deadlines({ now, after, limit: pageSize }),
      use: (deadline) =>
        isOurs?.(deadline) === false
          ? Effect.void
          : Effect.map(expireOne(deadline.requestId, now), (ended) => {
              if (ended) count++
            }),
      concurrency
    })
    return count
  })
})
