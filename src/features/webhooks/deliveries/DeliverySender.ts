/**
 * The sender of webhooks: a process manager that wakes for owed and due deliveries, and follows each delivery's next
 * action. Waiting deliveries are rows, never fibers; only an attempt has a fiber.
 */
import { Cause, Effect, Layer } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import { DueDeliveries, type DueDelivery, type OwedDelivery } from "#projections/deliveries/DueDeliveries.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as Attempts from "./Attempts.ts"
import { DeliveryLimits } from "./DeliveryLimits.ts"
import * as Postponed from "./Postponed.ts"
import * as DueAttempts from "./DueAttempts.ts"
import * as LostAttempts from "./LostAttempts.ts"
import * as Slots from "./Slots.ts"
import * as Scheduling from "./Scheduling.ts"

/** Claims and schedules of one pass; the rest follows in the next. */
const mostPerPass = 256

/** On several nodes, each of which reads the rows of all. */
const mostPerSharedPass = 64

/** Concurrent reads of what they need. */
const concurrency = 64

const make = Effect.gen(function* () {
  const due = yield* DueDeliveries
  const projections = yield* Projections
  const reader = yield* EventReader
  const node = yield* Nodes
  const steady = yield* SteadyTime
  const limits = yield* DeliveryLimits
  const tellOnce = RateLimitedLog.make()
  const unreadable = UnreadableRequests.make("be told of by webhook")
  const loop = yield* DueWorkLoop.make
  const wake = Effect.sync(loop.wake)

  const slots = Slots.make(limits)
  const postponed = Postponed.make()
  const attempts = yield* Attempts.make(slots, postponed, wake)
  const attemptDue = yield* DueAttempts.make(slots, attempts)
  const schedule = yield* Scheduling.make(slots, postponed, attempts)
  const loseAttempts = yield* LostAttempts.make(attempts.has)

  /** The next pass continues after the account that was served last. */
  let served: AccountId | null = null

  /** The last owed delivery that a pass has seen, so that one that cannot be scheduled does not block later ones. */
  let looked: OwedDelivery | null = null

  const readable = <Row extends Pick<OwedDelivery, "requestId">>(rows: ReadonlyArray<Row>) =>
    rows.filter(({ requestId }) => !unreadable.has(requestId))

  /** A delivery that cannot be read does not block others. */
  const alone = ({ requestId }: Pick<OwedDelivery, "requestId">, begin: Effect.Effect<boolean, unknown>) =>
    Effect.catchCause(begin, (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : tellOnce(Effect.logError("A webhook cannot be read and is skipped for now", cause)).pipe(
            Effect.annotateLogs({ request_id: requestId }),
            Effect.as(false)
          )
    )

  const all = <Row extends Pick<OwedDelivery, "requestId">>(
    rows: ReadonlyArray<Row>,
    begin: (row: Row) => Effect.Effect<boolean, unknown>
  ) =>
    Effect.forEach(rows, (row) => alone(row, unreadable.orElse(row.requestId, false)(begin(row))), {
      concurrency
    })

  /** True if the read models have to catch up. */
  const sendDue = Effect.fnUntraced(function* (now: number) {
    const isAlone = node.live().length < 2
    const room = Math.min(slots.free(), isAlone ? mostPerPass : mostPerSharedPass)
    if (room === 0) return false
    const closed = slots.closed()
    const holding = yield* postponed.now
    const rows: ReadonlyArray<DueDelivery> = yield* due.next({
      now,
      limit: ClaimTurns.rowsFor(room, node.live()) + unreadable.count(),
      each: limits.perLane + unreadable.count(),
      after: served,
      without: {
        ...closed,
        accounts: [...closed.accounts, ...holding.accounts],
        deliveries: [...holding.deliveries, ...attempts.starting()]
      }
    })
    const own = loop.ownOf(readable(rows), now).slice(0, room)
    const begun = yield* all(own, attemptDue)
    served = own[begun.lastIndexOf(true)]?.accountId ?? served
    return begun.includes(true)
  })

  const scheduleOwed = Effect.fnUntraced(function* (now: number) {
    const limit = ClaimTurns.rowsFor(mostPerPass, node.live()) + unreadable.count()
    const rows = yield* due.owed({ after: looked, limit })
    looked = rows.length < limit ? null : (rows.at(-1) ?? null)
    // These rows have no time, so a stuck node only delays them by its turn.
    const own = loop.ownOf(
      readable(rows).map((row) => ({ ...row, dueAt: 0 })),
      now
    )
    return (yield* all(own.slice(0, mostPerPass), schedule)).includes(true)
  })

  const caughtUp = Effect.flatMap(reader.head, (head) =>
    Effect.forEach([DueWorkProjection.projection.name, DeliveriesProjection.projection.name], (projection) =>
      projections.waitFor(head, { projection })
    )
  )

  const pass = Effect.gen(function* () {
    const now = yield* steady.now
    const hasSent = yield* sendDue(now)
    const hasScheduled = yield* scheduleOwed(now)
    if (!hasSent && !hasScheduled) return false
    // A lagging read model wakes the sender with its next change; until then the rows would be read in vain.
    return !(yield* caughtUp).includes(false)
  })

  yield* loop.run({
    name: "The sender of webhooks",
    projections: [DueWorkProjection.projection.name, DeliveriesProjection.projection.name],
    recover: loseAttempts,
    pass,
    nextDueAt: due.nextDueAt
  })
})

export const layer = Layer.effectDiscard(make)
