/** One sweep: finds in the work queue what makes no progress, and acts on it. */
import { Effect } from "effect"
import type { ProviderBinding } from "#domain/catalog/ProviderBinding.ts"
import { defaultQueueTimeout } from "#domain/catalog/Model.ts"
import type { RequestId } from "#domain/Ids.ts"
import { ModelEndpoint } from "#domain/ModelEndpoint.ts"
import * as SweepSchedule from "#domain/inference-request/SweepSchedule.ts"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import { type DueClaim, type DueSince, DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as Expiry from "../deadlines/Expiry.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { HasCredential } from "#src/features/provider-health/Credentials.ts"
import { ProviderHealth } from "#src/features/provider-health/ProviderHealth.ts"
import { Runs } from "../Runs.ts"
import { Finalizer } from "../finalize/Finalizer.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as PagedRows from "#src/platform/reactors/PagedRows.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as OverdueRun from "./OverdueRun.ts"

const pageSize = 500
const concurrency = 64

/** The longest time for one request: more than its provider has to answer. */
const requestLimit = "20 seconds"

/** The number of requests by result. */
export interface Swept {
  /** Ended, because a deadline had passed. */
  readonly expired: number
  /** Failed for good. */
  readonly forceFailed: number
  /** Overdue and lost: run again. */
  readonly lost: number
  /** Overdue and found finished. */
  readonly finished: number
  /** Completed with files missing: being stored. */
  readonly mediaMissing: number
}

type Tally = { -readonly [Kind in keyof Swept]: Swept[Kind] }

const isNothing = (swept: Swept) => Object.values(swept).every((count) => count === 0)

export const make = Effect.gen(function* () {
  const actors = yield* RequestActors
  const catalog = yield* Catalog
  const steady = yield* SteadyTime
  const dueWork = yield* DueWork
  const expireDue = yield* Expiry.make
  const finalizer = yield* Finalizer
  const hasCredential = yield* HasCredential
  const health = yield* ProviderHealth
  const node = yield* Nodes
  const overdueRun = yield* OverdueRun.make
  const projections = yield* Projections
  const reader = yield* EventReader
  const runs = yield* Runs
  const unreadable = UnreadableRequests.make("be swept")

  /** A failure with one request does not stop the sweep. */
  const alone = (id: RequestId, effect: Effect.Effect<void, EventStoreError | Rejection>) =>
    effect.pipe(
      Effect.timeoutOrElse({
        duration: requestLimit,
        orElse: () => Effect.logWarning("Sweeping a request took too long; the next sweep tries again")
      }),
      Effect.catch((error) =>
        Effect.logError("A request could not be swept; the next sweep tries again", error)
      ),
      unreadable.orElse<void>(id, undefined),
      Effect.annotateLogs({ request_id: id })
    )

  const forceFail = (tally: Tally, now: number) =>
    PagedRows.forEach({
      read: (after: RequestId | null) => {
        const createdBefore = now - SweepSchedule.ageBeforeForceFail
        return dueWork.forceFailable({ createdBefore, after, limit: pageSize })
      },
      use: (id) =>
        alone(
          id,
          Effect.gen(function* () {
            // This node's state may be older than other nodes' changes.
            yield* actors.refresh(id)
            const { events } = yield* actors.execute(id, { _tag: "ForceFail", at: now })
            if (events.length === 0) return
            tally.forceFailed++
            yield* runs.stop(id)
          })
        ),
      concurrency
    })

  const isUsable = (binding: ProviderBinding) =>
    health.unreachable(binding) === null && hasCredential(binding)

  /** Requests for models with unreachable or not configured providers, after their model's waiting time. */
  const giveUpWaiting = Effect.fnUntraced(function* (tally: Tally, now: number) {
    for (const { model } of yield* catalog.all) {
      // A long queue at a working provider is no reason to give up.
      if (model.providers.some(isUsable)) continue
      const maxWaitMs = (model.queueTimeout ?? defaultQueueTimeout) * 1_000
      const endpoint = ModelEndpoint.make(model.endpoint)
      yield* PagedRows.forEach({
        read: (after: DueSince | null) =>
          dueWork.waiting({ model: endpoint, now: now - maxWaitMs, after, limit: pageSize }),
        use: ({ requestId: id }) =>
          alone(
            id,
            Effect.map(actors.execute(id, { _tag: "GiveUpWaiting", at: now, maxWaitMs }), ({ events }) => {
              if (events.length > 0) tally.expired++
            })
          ),
        concurrency
      })
    }
  })

  const overdue = (tally: Tally, now: number) =>
    PagedRows.forEach({
      read: (after: DueClaim | null) => dueWork.overdue({ now, after, limit: pageSize }),
      use: (claim) =>
        alone(
          claim.requestId,
          Effect.map(overdueRun(claim), (found) => {
            if (found === "lost") tally.lost++
            else if (found === "finished") tally.finished++
          })
        ),
      concurrency
    })

  /** Each live node stores the files of its own runs. */
  const isOwn = ({ node: owner }: DueClaim) => owner === node.self
  const isNoOther = (claim: DueClaim) => isOwn(claim) || !node.isAlive(claim.node)

  const finalize = (tally: Tally, now: number, isOurs: (claim: DueClaim) => boolean) =>
    PagedRows.forEach({
      read: (after: DueClaim | null) => dueWork.finalizing({ now, after, limit: pageSize }),
      use: (claim) => {
        if (!isOurs(claim) || finalizer.has(claim.requestId)) return Effect.void
        tally.mediaMissing++
        return alone(
          claim.requestId,
          Effect.andThen(actors.refresh(claim.requestId), finalizer.start(claim.requestId))
        )
      },
      concurrency
    })

  const told = (swept: Swept) =>
    isNothing(swept)
      ? Effect.void
      : Effect.annotateLogs(Effect.logInfo("The sweep found stuck requests"), { ...swept })

  /** Uses the available rows if the queue lags; the requests themselves decide. */
  const begin = Effect.gen(function* () {
    yield* projections.waitFor(yield* reader.head, { projection: projection.name })
    const tally: Tally = { expired: 0, forceFailed: 0, lost: 0, finished: 0, mediaMissing: 0 }
    return { now: yield* steady.now, tally }
  })

  return {
    /** All steps, in this order. Fails if log or queue cannot be read. */
    all: Effect.gen(function* () {
      const { now, tally } = yield* begin
      tally.expired = yield* expireDue(now)
      yield* giveUpWaiting(tally, now)
      yield* forceFail(tally, now)
      // Before the runs, because their providers may answer slowly.
      yield* finalize(tally, now, isNoOther)
      yield* overdue(tally, now)
      yield* told(tally)
      const swept: Swept = tally
      return swept
    }),
    /** Only missing files, which a previous process was storing. */
    finalizing: Effect.flatMap(begin, ({ now, tally }) => finalize(tally, now, isNoOther)),
    /** Only missing files of this node's runs. */
    ownFinalizing: Effect.flatMap(begin, ({ now, tally }) => finalize(tally, now, isOwn))
  }
})
