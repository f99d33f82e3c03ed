/** Claims of nodes that are gone: re-attached when the provider may still know the job, else to be run again. */
import { Clock, Effect } from "effect"
import type { RequestId } from "#domain/Ids.ts"
import { nextAction } from "#domain/inference-request/NextAction.ts"
import { EventReader } from "#streams/EventReader.ts"
import { type Claim, DueWork } from "#projections/due-work/DueWork.ts"
import { projection } from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { NodeIdentity } from "#src/reactors/NodeIdentity.ts"
import { RequestActors } from "#src/requests/RequestActors.ts"
import { Runs } from "./Runs.ts"

const pageSize = 500
const concurrency = 64

/** `onEnd` runs when a run that was re-attached has its outcome. */
export const make = (onEnd: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const dueWork = yield* DueWork
    const projections = yield* Projections
    const actors = yield* RequestActors
    const runs = yield* Runs
    const node = yield* NodeIdentity
    const reader = yield* EventReader

    const recover = Effect.fnUntraced(function* (id: RequestId) {
      const { state } = yield* actors.current(id)
      if (state._tag === "NotSubmitted") return
      const action = nextAction(state)
      if (action._tag !== "AwaitOutcome" && action._tag !== "StopRun") return
      const { jobId, node: owner } = action.run
      if (node.isAlive(owner) || runs.has(id)) return
      if (jobId !== null) return yield* runs.start({ id, request: state, jobId }, onEnd)
      const at = yield* Clock.currentTimeMillis
      yield* actors.execute(id, {
        _tag: "RecordOutcome",
        at,
        attempt: state.attempt,
        startedAt: null,
        outcome: { _tag: "Lost", message: "The node that ran the request is gone." }
      })
    })

    /** Takes every claim that was made before the node started; call it once the node has its own identity. */
    return Effect.gen(function* () {
      const head = yield* reader.head
      yield* Effect.repeat(projections.waitFor(head, { projection: projection.name }), {
        until: (reached) => reached
      })
      let after: RequestId | null = null
      while (true) {
        const page: ReadonlyArray<Claim> = yield* dueWork.claims({ after, limit: pageSize })
        const lost = page.filter((claim) => !node.isAlive(claim.node))
        yield* Effect.forEach(lost, ({ requestId }) => recover(requestId), { concurrency, discard: true })
        const last = page.at(-1)
        if (last === undefined) return
        after = last.requestId
      }
    })
  })
