/** Ends attempts that no node works on. A lost attempt counts as failed, so a crash loop keeps to the schedule. */
import { Effect } from "effect"
import { nextAction } from "#domain/webhook-delivery/NextAction.ts"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import { projection } from "#projections/deliveries/DeliveriesProjection.ts"
import { DueDeliveries, type UnderWay } from "#projections/deliveries/DueDeliveries.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as Rendezvous from "#src/platform/cluster/Rendezvous.ts"
import * as WaitForHead from "#src/platform/reactors/WaitForHead.ts"
import * as PagedRows from "#src/platform/reactors/PagedRows.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { DeliveryActors } from "../DeliveryActors.ts"

const pageSize = 500
const concurrency = 64

/** `isUnderWay`: whether this node sends the delivery. */
export const make = (isUnderWay: (id: DeliveryId) => boolean) =>
  Effect.gen(function* () {
    const due = yield* DueDeliveries
    const actors = yield* DeliveryActors
    const steady = yield* SteadyTime
    const node = yield* Nodes
    const waitForHead = yield* WaitForHead.make
    const tell = RateLimitedLog.make()

    /** Whether no node works on it and this node has to end it. */
    const isOurs = (owner: string, id: DeliveryId) => {
      if (isUnderWay(id)) return false
      return owner === node.self || (!node.isAlive(owner) && Rendezvous.first(id, node.live()) === node.self)
    }

    const lose = Effect.fnUntraced(function* (id: DeliveryId) {
      const { state } = yield* actors.refresh(id)
      if (state._tag === "NotScheduled") return
      const action = nextAction(state)
      if (action._tag !== "AwaitAttempt") return
      const { attempt, node: owner } = action
      if (!isOurs(owner, id)) return
      const at = yield* steady.now
      yield* actors.execute(id, { _tag: "LoseAttempt", at, attempt, node: owner })
    })

    const loseAlone = ({ deliveryId: id, node: owner }: UnderWay) =>
      isOurs(owner, id)
        ? lose(id).pipe(
            Effect.catchDefect((defect) =>
              tell(Effect.logError("A delivery cannot be read and is skipped", defect))
            ),
            Effect.annotateLogs({ delivery_id: id })
          )
        : Effect.void

    /** Every attempt that this node claimed before. Do not run it while this node claims. */
    return Effect.gen(function* () {
      yield* waitForHead(projection.name)
      yield* PagedRows.forEach({
        read: (after: UnderWay | null) => due.underWay({ after: after?.deliveryId ?? null, limit: pageSize }),
        use: loseAlone,
        concurrency
      })
    })
  })
