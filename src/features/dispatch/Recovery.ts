/**
 * Recovers claims that no node works on: claims of dead nodes, and own claims whose append seemed to fail. A job that
 * the provider may still know is taken over; any other request runs again. One live node handles each claim, and the
 * sweep finds what it misses.
 */
import { Effect, Exit } from "effect"
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
import { unwatched } from "#src/features/provider-health/Watch.ts"
import * as WaitForHead from "#src/platform/reactors/WaitForHead.ts"
import * as PagedRows from "#src/platform/reactors/PagedRows.ts"
import { RequestActors } from "#src/features/requests/RequestActors.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import type { Claimed } from "./Claimed.ts"
import { Runs } from "./Runs.ts"

const pageSize = 500
const concurrency = 64

/** `onEnd` is called when a run that was taken over ends. */
export const make = (onEnd: (endpoint: string, provider: string) => void) =>
  Effect.gen(function* () {
    const dueWork = yield* DueWork
    const actors = yield* RequestActors
    const steady = yield* SteadyTime
    const catalog = yield* Catalog
    const runs = yield* Runs
    const node = yield* Nodes
    const waitForHead = yield* WaitForHead.make

    /** Whether no node works on the claim and this node has to recover it. */
    const isOurs = (owner: string, id: RequestId) => {
      if (runs.has(id)) return false
      return owner === node.self || (!node.isAlive(owner) && Rendezvous.first(id, node.live()) === node.self)
    }

    /** Takes the claim over; `null` if another node was first. */
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

    /** Completes when the claim is made. Before that the run could be taken over twice. */
    const takeOver = (
      id: RequestId,
      request: Request,
      run: { readonly from: string; readonly jobId: string; readonly provider: string }
    ) =>
      Effect.flatMap(
        catalog.findVersion(request.submitted.model, request.submitted.modelVersion),
        (entry) => {
          const endpoint = entry?.runs ?? request.submitted.model
          const { provider } = run
          const taken = runs.take({
            about: { id },
            endpoint,
            provider,
            watch: unwatched,
            onEnd: () => onEnd(endpoint, provider)
          })
          return Effect.uninterruptible(
            Effect.onExitPrimitive(claim(id, request, run), (exit) => {
              if (Exit.isSuccess(exit) && exit.value !== null) taken.begin(exit.value)
              else taken.release()
              return undefined
            })
          )
        }
        // A node that knows the model takes it over, or this one later.
      ).pipe(
        Effect.asVoid,
        Effect.catchTag("NotKnownHere", (error) => Effect.logWarning("A run is not taken over", error))
      )

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
          // An own claim seemed to fail, which is not a crash.
          ...(from === node.self ? {} : { crashed: true })
        }
      })
    })

    const recoverAlone = ({ node: owner, requestId: id }: Claim) =>
      isOurs(owner, id)
        ? recover(id).pipe(
            Effect.catchDefect((defect) =>
              Effect.logError("A claimed request cannot be read and is skipped", defect)
            ),
            Effect.annotateLogs({ request_id: id })
          )
        : Effect.void

    /** Recovers all earlier claims. Must not run while this node claims: its newest ones do not count as running. */
    return Effect.gen(function* () {
      yield* waitForHead(projection.name)
      yield* PagedRows.forEach({
        read: (after: Claim | null) => dueWork.claims({ after: after?.requestId ?? null, limit: pageSize }),
        use: recoverAlone,
        concurrency
      })
    })
  })
