/**
 * Claims that nobody works on: of nodes that are gone, and own ones whose append seemed to fail. Re-attached when the
 * provider may still know the job, else to be run again.
 */
import { Clock, Effect, Schedule } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import { EventReader } from "#streams/EventReader.ts"
import { type Claim, DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { Nodes } from "#src/cluster/Nodes.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import { Runs } from "./Runs.ts"

const pageSize = 500
const concurrency = 64

/** `onEnd` gives what is to run, of a model, when a run that was re-attached has its outcome. */
export const make = (onEnd: (endpoint: string) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const dueWork = yield* DueWork
    const projections = yield* Projections
    const actors = yield* RequestActors
    const runs = yield* Runs
    const node = yield* Nodes
    const reader = yield* EventReader

    const isWorkedOn = (owner: string, id: RequestId) =>
      owner === node.self ? runs.has(id) : node.isAlive(owner) || runs.has(id)

    /** Gives the node whose claim was taken over, if that is what was done. */
    const takeOver = Effect.fnUntraced(function* (id: RequestId) {
      const { state } = yield* actors.current(id)
      if (state._tag === "NotSubmitted") return null
      const action = nextAction(state)
      if (action._tag !== "AwaitOutcome" && action._tag !== "StopRun") return null
      const { jobId, node: owner } = action.run
      if (isWorkedOn(owner, id)) return null
      if (jobId !== null) {
        const claim = Effect.succeed({ id, request: state, jobId })
        const { model: endpoint } = state.submitted
        yield* runs.start({ id, endpoint, claim, onEnd: onEnd(endpoint) })
        return owner
      }
      const at = yield* Clock.currentTimeMillis
      yield* actors.execute(id, {
        _tag: "RecordOutcome",
        at,
        attempt: state.attempt,
        startedAt: null,
        outcome: { _tag: "Lost", message: "The node that ran the request is gone." }
      })
      return null
    })

    const recover = (id: RequestId) =>
      takeOver(id).pipe(
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("A claimed request cannot be read; it is left alone", defect), null)
        ),
        Effect.annotateLogs({ request_id: id })
      )

    /**
     * Takes every claim that was made before; not to be called while this node claims. Gives the nodes whose claims stay
     * under their names and are now run here.
     */
    return Effect.gen(function* () {
      const head = yield* reader.head
      yield* Effect.repeat(projections.waitFor(head, { projection: projection.name }), {
        until: (reached) => reached,
        schedule: Schedule.spaced("1 second")
      })
      const adopted = new Set<string>()
      let after: RequestId | null = null
      while (true) {
        const page: ReadonlyArray<Claim> = yield* dueWork.claims({ after, limit: pageSize })
        const idle = page.filter((claim) => !isWorkedOn(claim.node, claim.requestId))
        const owners = yield* Effect.forEach(idle, ({ requestId }) => recover(requestId), { concurrency })
        for (const owner of owners) if (owner !== null) adopted.add(owner)
        // Also those that an attempt before this one, which failed on its way, has taken over.
        for (const claim of page) if (runs.has(claim.requestId)) adopted.add(claim.node)
        const last = page.at(-1)
        if (last === undefined) return adopted
        after = last.requestId
      }
    })
  })
