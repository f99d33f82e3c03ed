/**
 * Claims that nobody works on: of nodes that are gone, and own ones whose append seemed to fail. Taken over when the provider
 * may still know the job, else to be run again. Each by one of the nodes that live; what one of them leaves the sweep finds.
 */
import { Deferred, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import type { Rejection } from "#domain/inference-request/Command.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import type { Request } from "#domain/inference-request/State.ts"
import type { EventStoreError } from "#streams/EventReader.ts"
import { type Claim, DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { unwatched } from "#src/features/provider-health/ProviderHealth.ts"
import * as WaitForHead from "#src/platform/reactors/WaitForHead.ts"
import * as PagedRows from "#src/platform/reactors/PagedRows.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { Claimed } from "./Run.ts"
import { Runs } from "./Runs.ts"

const pageSize = 500
const concurrency = 64

/** `onEnd` gives what is to run, of a model at a provider, when a run that was taken over has its outcome. */
export const make = (onEnd: (endpoint: string, provider: string) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const dueWork = yield* DueWork
    const actors = yield* RequestActors
    const steady = yield* SteadyTime
    const catalog = yield* Catalog
    const runs = yield* Runs
    const node = yield* Nodes
    const waitForHead = yield* WaitForHead.make

    /** Nobody works on it, and it is for this node to see to that. */
    const isOurs = (owner: string, id: RequestId) => {
      if (runs.has(id)) return false
      return owner === node.self || (!node.isAlive(owner) && Rendezvous.first(id, node.live()) === node.self)
    }

    /** The claim becomes this node's own, unless another one was first: `null`. */
    const claim = Effect.fnUntraced(function* (
      id: RequestId,
      { attempt }: Request,
      { from, jobId }: { readonly from: string; readonly jobId: string }
    ): Effect.fn.Return<Claimed | null, EventStoreError | Rejection> {
      const at = yield* steady.now
      const takeOver = { _tag: "TakeOver", at, attempt, from, node: node.self } as const
      const { state } = yield* actors.execute(id, takeOver)
      if (state._tag === "NotSubmitted" || state.attempt !== attempt) return null
      const action = nextAction(state)
      const isRunning = action._tag === "AwaitOutcome" || action._tag === "StopRun"
      return isRunning && action.run.node === node.self ? { id, request: state, jobId, memory: null } : null
    })

    /** Ends when the claim is made: until then the run would be taken over a second time. */
    const takeOver = (
      id: RequestId,
      request: Request,
      run: { readonly from: string; readonly jobId: string; readonly provider: string }
    ) =>
      Effect.flatMap(
        catalog.findVersion(request.submitted.model, request.submitted.modelVersion),
        (entry) => {
          const claimed = Deferred.makeUnsafe<void, EventStoreError | Rejection>()
          const endpoint = entry?.runs ?? request.submitted.model
          const { provider } = run
          const place = { id, endpoint, provider, watch: unwatched, onEnd: onEnd(endpoint, provider) }
          /** Claim → run → record. */
          const sequence = Effect.gen(function* () {
            const taken = yield* claim(id, request, run)
            const running = taken === null ? Effect.void : yield* runs.begin(taken, unwatched)
            yield* Deferred.succeed(claimed, undefined)
            yield* running
          }).pipe(Effect.onError((cause) => Deferred.failCause(claimed, cause)))
          return Effect.andThen(runs.fork(place, sequence), Deferred.await(claimed))
        }
        // Left to a node that knows its model, or to this one when it does.
      ).pipe(Effect.catchTag("NotKnownHere", (error) => Effect.logWarning("A run is not taken over", error)))

    const recover = Effect.fnUntraced(function* (id: RequestId) {
      const { state } = yield* actors.refresh(id)
      if (state._tag === "NotSubmitted") return
      const action = nextAction(state)
      if (action._tag !== "AwaitOutcome" && action._tag !== "StopRun") return
      const { jobId, node: from, provider } = action.run
      if (!isOurs(from, id)) return
      if (jobId !== null) return yield* takeOver(id, state, { from, jobId, provider })
      const at = yield* steady.now
      yield* actors.execute(id, {
        _tag: "RecordOutcome",
        at,
        attempt: state.attempt,
        startedAt: null,
        outcome: {
          _tag: "Lost",
          message: "The node that ran the request is gone.",
          // A claim of this node's own is one that seemed to fail: no crash.
          ...(from === node.self ? {} : { crashed: true })
        }
      })
    })

    const recoverAlone = ({ node: owner, requestId: id }: Claim) =>
      isOurs(owner, id)
        ? recover(id).pipe(
            Effect.catchDefect((defect) =>
              Effect.logError("A claimed request cannot be read; it is left alone", defect)
            ),
            Effect.annotateLogs({ request_id: id })
          )
        : Effect.void

    /**
     * Every claim of this node's that was made before; not to be called while this node claims, for what it claims just now
     * is not known to be run yet.
     */
    return Effect.gen(function* () {
      yield* waitForHead(projection.name)
      yield* PagedRows.forEach({
        read: (after: Claim | null) => dueWork.claims({ after: after?.requestId ?? null, limit: pageSize }),
        use: recoverAlone,
        concurrency
      })
    })
  })
