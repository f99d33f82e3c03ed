/**
 * Processes bulk recoveries by pages. Each delivery stores its last recovery, so a restarted one repeats nothing. It looks for
 * them when the read model moves or this node gets the lease, after a pass that found any, and now and then, should a signal have been
 * lost.
 */
import { Effect, Layer, Queue, Stream } from "effect"
import type { DeliveryId } from "#domain/webhook-delivery/DeliveryId.ts"
import type { PageKey } from "#projections/deliveries/DeliveryFilter.ts"
import { Deliveries } from "#projections/deliveries/Deliveries.ts"
import { projection } from "#projections/deliveries/DeliveriesProjection.ts"
import { DueDeliveries, type OpenRecovery } from "#projections/deliveries/DueDeliveries.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Lease } from "#src/platform/cluster/Lease.ts"
import * as Pace from "#src/kernel/async/Pace.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { RecoveryInterval } from "#src/platform/reactors/DueWorkLoop.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { DeliveryActors } from "../DeliveryActors.ts"
import { RecoveryActors } from "../RecoveryActors.ts"

/** Recoveries of different accounts processed at the same time. */
const atOnce = 10

/** The shortest time between two looks for them. */
const pace = "1 second"

const make = Effect.gen(function* () {
  const due = yield* DueDeliveries
  const deliveries = yield* Deliveries
  const projections = yield* Projections
  const reader = yield* EventReader
  const actors = yield* DeliveryActors
  const recoveries = yield* RecoveryActors
  const steady = yield* SteadyTime
  const lease = yield* Lease
  const tell = RateLimitedLog.make()

  const recover = Effect.fnUntraced(function* (recoveryId: OpenRecovery["recoveryId"], id: DeliveryId) {
    // Another node may just have given it up.
    yield* actors.refresh(id)
    const at = yield* steady.now
    const { events } = yield* actors.execute(id, { _tag: "Recover", at, recoveryId })
    return events.length
  })

  /** A record that cannot be read does not block others. */
  const recoverAlone = (recoveryId: OpenRecovery["recoveryId"], id: DeliveryId) =>
    recover(recoveryId, id).pipe(
      Effect.catchDefect((defect) =>
        Effect.as(tell(Effect.logError("A delivery cannot be recovered and is skipped", defect)), 0)
      ),
      Effect.annotateLogs({ delivery_id: id })
    )

  const workOff = Effect.fnUntraced(function* ({ recoveryId, ...failed }: OpenRecovery) {
    let replayed = 0
    let after: PageKey | null = null
    while (true) {
      const page: Effect.Success<ReturnType<typeof deliveries.failed>> = yield* deliveries.failed({
        ...failed,
        after,
        limit: Pace.pageSize
      })
      const counts = yield* Pace.paced(
        Effect.forEach(page, ({ deliveryId }) => recoverAlone(recoveryId, deliveryId), {
          concurrency: Pace.concurrency
        })
      )
      replayed += counts.reduce((sum, count) => sum + count, 0)
      after = page.at(-1) ?? null
      if (page.length < Pace.pageSize) break
    }
    const at = yield* steady.now
    yield* recoveries.execute(recoveryId, { _tag: "Finish", at, replayed })
  })

  const workOffAlone = (open: OpenRecovery) =>
    workOff(open).pipe(
      Effect.catchDefect((defect) =>
        tell(Effect.logError("A recovery of failed webhooks cannot continue for now", defect))
      ),
      Effect.annotateLogs({ recovery_id: open.recoveryId })
    )

  /** The read model shows at least what its client was told, because that call waited for it. True if there were any. */
  const pass = Effect.gen(function* () {
    const open = yield* due.recoveries(atOnce)
    if (open.length === 0) return false
    yield* Effect.forEach(open, workOffAlone, { concurrency: atOnce, discard: true })
    yield* projections.waitFor(yield* reader.head, { projection: projection.name })
    return true
  })

  const longestWait = yield* RecoveryInterval
  const signal = yield* Queue.sliding<void>(1)
  const signals = Stream.merge(projections.changes(projection.name), lease.gains)
  const follow = Stream.runForEach(signals, () => Queue.offer(signal, undefined))

  const passes = Effect.gen(function* () {
    const hasFound = (yield* lease.isHeld) && (yield* pass)
    yield* Effect.sleep(pace)
    if (!hasFound) yield* Effect.timeoutOption(Queue.take(signal), longestWait)
  }).pipe(Effect.forever)

  return Effect.all([passes, follow], { concurrency: "unbounded" })
})

export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (passes) => Effect.forkScoped(supervise("Sending failed webhooks again", passes)))
)
