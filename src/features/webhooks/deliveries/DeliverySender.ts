/**
 * The sender of webhooks: a process manager that wakes for owed and due deliveries, and follows each delivery's next
 * action. Waiting deliveries are rows, and an attempt under way is a callback: neither takes a fiber.
 */
import { Array, Cause, Clock, Effect, Exit, FiberSet, Layer } from "effect"
import type { AccountId, RequestId } from "#domain/Ids.ts"
import * as DeliveriesProjection from "#projections/deliveries/DeliveriesProjection.ts"
import { DueDeliveries, type DueDelivery, type OwedDelivery } from "#projections/deliveries/DueDeliveries.ts"
import * as DueWorkProjection from "#projections/due-work/DueWorkProjection.ts"
import { Projections } from "#projections/Projections.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { Nodes } from "#src/platform/cluster/Nodes.ts"
import * as DueWorkLoop from "#src/platform/reactors/DueWorkLoop.ts"
import * as UnreadableRequests from "#src/platform/reactors/UnreadableRequests.ts"
import * as ClaimTurns from "#src/platform/reactors/ClaimTurns.ts"
import * as Settled from "#src/kernel/async/Settled.ts"
import * as RateLimitedLog from "#src/kernel/async/RateLimitedLog.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as DeliveryErasing from "../DeliveryErasing.ts"
import * as Attempts from "./Attempts.ts"
import type { DeliverySlot } from "./Attempts.ts"
import { DeliveryLimits } from "./DeliveryLimits.ts"
import * as Postponed from "./Postponed.ts"
import * as DueAttempts from "./DueAttempts.ts"
import * as DueReads from "./DueReads.ts"
import * as FreshEvents from "./FreshEvents.ts"
import type { Lane } from "./Lane.ts"
import * as LostAttempts from "./LostAttempts.ts"
import * as Slots from "./Slots.ts"
import * as ReadAhead from "./ReadAhead.ts"
import * as RecentClaims from "./RecentClaims.ts"
import * as Scheduling from "./Scheduling.ts"
import * as Unserved from "./Unserved.ts"

/** The most that one pass schedules; the rest follows in the next. */
const mostPerPass = 256

/** The most due deliveries of one read, and of one lane among them: reads of few cost as much as reads of many. */
const mostPerRead = 512
const mostOfLane = 256

/** The most of both on several nodes, each of which reads the rows of all. */
const mostPerSharedPass = 64

/** Fibers that read what they need, and how many deliveries each reads for in turn: on one machine most reads need no wait. */
const concurrency = 64
const inTurn = 8

/** How many deliveries are read at once before their attempts begin. */
const readTogether = 64

/** Deliveries that wait in memory for a slot. With fewer, more are read when one ends. */
const few = 32

/** Claims that the read model does not show: with more it is too far behind to be searched. */
const mostUnseen = 2_048

/**
 * Wake-ups by the read models may be so much rarer than those of other reactors, because the sender also wakes when an attempt
 * ends.
 */
const paces = 5

/** A due delivery that has its slot. */
interface Taken {
  readonly requestId: RequestId
  readonly slot: DeliverySlot
}

const begunOf = <A, E>(begin: () => Effect.Effect<A, E>): Effect.Effect<A, E> => {
  try {
    return begin()
  } catch (defect) {
    return Exit.die(defect)
  }
}

const make = Effect.gen(function* () {
  const due = yield* DueDeliveries
  const projections = yield* Projections
  const node = yield* Nodes
  const steady = yield* SteadyTime
  const limits = yield* DeliveryLimits
  const fork = yield* FiberSet.makeRuntime<never>()
  const clock = yield* Clock.Clock
  const tellOnce = RateLimitedLog.make()
  const unreadable = UnreadableRequests.make("be told of by webhook")
  const loop = yield* DueWorkLoop.make

  const slots = Slots.make(limits)
  const postponed = Postponed.make()
  const ahead = ReadAhead.make()
  const recent = RecentClaims.make()
  const unserved = Unserved.make()

  let isServing = false

  /** A slot of the lane is free: for deliveries that wait in memory, and for the next read when few are left. */
  const onFree = (lane: Lane) => {
    if (ahead.size() < few && unserved.has(lane)) loop.wake()
    if (isServing || ahead.size() === 0) return
    isServing = true
    // After all that end in this turn.
    queueMicrotask(() => {
      isServing = false
      fork(serve)
    })
  }

  const attempts = yield* Attempts.make(slots, postponed, onFree)
  const late = yield* DeliveryErasing.makeLate
  const services = { slots, attempts, late, noteNoRoom: unserved.noteAny }
  const readDue = yield* DueReads.make
  const attemptDue = yield* DueAttempts.make(services, recent)
  const schedule = yield* Scheduling.make(services, postponed)
  const loseAttempts = yield* LostAttempts.make(attempts.has)

  /** The next read continues after the account that was served last. */
  let served: AccountId | null = null

  /** The last owed delivery that a pass has seen, so that one that cannot be scheduled does not block later ones. */
  let looked: OwedDelivery | null = null

  const readable = <Row extends Pick<OwedDelivery, "requestId">>(rows: ReadonlyArray<Row>) =>
    rows.filter(({ requestId }) => !unreadable.has(requestId))

  /** A delivery that cannot be read does not block others. */
  const alone = ({ requestId }: Pick<OwedDelivery, "requestId">, begun: Effect.Effect<boolean, unknown>) =>
    Effect.catchCause(unreadable.orElse(requestId, false)(begun), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.failCause(cause)
        : tellOnce(Effect.logError("A webhook cannot be read and is skipped for now", cause)).pipe(
            Effect.annotateLogs({ request_id: requestId }),
            Effect.as(false)
          )
    )

  /** Begins each row. What `begin` returns as an `Exit` has begun and needs no fiber. */
  const all = <Row extends Pick<OwedDelivery, "requestId">>(
    rows: ReadonlyArray<Row>,
    begin: (row: Row) => Effect.Effect<boolean, unknown>
  ): Effect.Effect<ReadonlyArray<boolean>, unknown> => {
    const begun = rows.map((row) => {
      const one = begunOf(() => begin(row))
      return Settled.hasSucceeded(one) ? one : alone(row, one)
    })
    if (begun.every((one) => Settled.hasSucceeded(one)))
      return Effect.succeed(begun.map(({ value }) => value))
    return Effect.map(
      Effect.forEach(Array.chunksOf(begun, inTurn), (some) => Effect.all(some), { concurrency }),
      Array.flatten
    )
  }

  /** A slot without room for the body; `null` if there is none. */
  const take = ({ accountId, deliveryId: id, origin, requestId }: DueDelivery): Taken | null => {
    const load = { accountId, origin, bytes: 0 }
    if (!slots.take(load)) return null
    const slot: DeliverySlot = { id, accountId, load }
    attempts.place(slot)
    return { requestId, slot }
  }

  /** Whether deliveries of a lane without a free slot wait in memory. Many silent receivers would take all of it. */
  const waits = (lane: Lane) => {
    if (slots.answers(lane)) return true
    unserved.noteAny()
    return false
  }

  const beginTaken = (taken: ReadonlyArray<Taken>) =>
    Effect.andThen(
      readDue(taken.map(({ slot }) => slot.id)),
      Effect.suspend(() => all(taken, ({ slot }) => attemptDue(slot)))
    )

  /** Begins the attempts that get a slot, until none does. True if there were any. */
  const serve: Effect.Effect<boolean, unknown> = Effect.suspend(() => {
    const taken = ahead.next(take, waits)
    if (taken.length === 0) return Effect.succeed(false)
    return Effect.flatMap(
      Effect.forEach(Array.chunksOf(taken, readTogether), beginTaken, { concurrency }),
      (all) => {
        const begun = all.flat()
        served = taken[begun.lastIndexOf(true)]?.slot.accountId ?? served
        // The others have returned their slots.
        if (!begun.includes(false)) return Effect.succeed(true)
        return Effect.map(serve, (more) => more || begun.includes(true))
      }
    )
  })

  /** They have no time, so a stuck node only delays them by its turn. */
  const ownOwed = (rows: ReadonlyArray<OwedDelivery>, now: number) =>
    loop.ownOf(
      readable(rows).map((row) => ({ ...row, dueAt: 0 })),
      now
    )

  /** What has just happened. What finds no room here is found in the read model. */
  const serveFresh = Effect.suspend(() => all(ownOwed(fresh.take(), steady.nowOf(clock)), schedule))
  const fresh = yield* FreshEvents.make(() => fork(serveFresh))

  const shown = Effect.map(
    projections.states,
    (states) => states.get(DeliveriesProjection.projection.name)?.position ?? GlobalPosition.beginning
  )

  /** `moved` if attempts have begun, so that there may be more. */
  const sendDue = Effect.fnUntraced(function* (now: number): Effect.fn.Return<DueWorkLoop.Found, unknown> {
    const isAlone = node.live().length < 2
    const room = slots.free()
    const unseen = recent.after(yield* shown)
    if (room === 0 || unseen.length > mostUnseen) {
      unserved.noteAny()
      return "left"
    }
    const closed = slots.closed()
    const holding = yield* postponed.now
    const without = { ...closed, lanes: [...closed.lanes, ...ahead.fullLanes()] }
    const most = isAlone ? mostPerRead : Math.min(room, mostPerSharedPass)
    const limit = ClaimTurns.rowsFor(most, node.live()) + unreadable.count()
    const each = (isAlone ? mostOfLane : limits.perLane) + unreadable.count()
    unserved.begin(without)
    const passedOver = {
      ...without,
      accounts: [...closed.accounts, ...holding.accounts],
      deliveries: [...holding.deliveries, ...attempts.starting(), ...unseen, ...ahead.deliveries()]
    }
    const rows: ReadonlyArray<DueDelivery> = yield* due.next({
      now,
      limit,
      each,
      after: served,
      without: passedOver
    })
    if (rows.length >= Math.min(each, limit)) unserved.noteAny()
    const own = loop.ownOf(readable(rows), now).filter(({ deliveryId }) => !attempts.has(deliveryId))
    ahead.add(own.slice(0, most))
    if (yield* serve) return "moved"
    return rows.length > 0 || Object.values(passedOver).some((some) => some.length > 0) ? "left" : "idle"
  })

  const scheduleOwed = Effect.fnUntraced(function* (
    now: number
  ): Effect.fn.Return<DueWorkLoop.Found, unknown> {
    const limit = ClaimTurns.rowsFor(mostPerPass, node.live()) + unreadable.count()
    const isFromFirst = looked === null
    const rows = yield* due.owed({ after: looked, limit })
    looked = rows.length < limit ? null : (rows.at(-1) ?? null)
    if (looked !== null) unserved.noteAny()
    if ((yield* all(ownOwed(rows, now).slice(0, mostPerPass), schedule)).includes(true)) return "moved"
    return isFromFirst && rows.length === 0 ? "idle" : "left"
  })

  /** The read models need not catch up between two passes: what has begun since is known in memory. */
  const pass = Effect.gen(function* () {
    const now = yield* steady.now
    const found: ReadonlyArray<DueWorkLoop.Found> = [yield* sendDue(now), yield* scheduleOwed(now)]
    if (found.includes("moved")) {
      yield* attempts.claims
      return ahead.size() < few ? "moved" : "left"
    }
    return found.includes("left") ? "left" : "idle"
  })

  yield* loop.run({
    name: "The sender of webhooks",
    projections: [DueWorkProjection.projection.name, DeliveriesProjection.projection.name],
    recover: loseAttempts,
    pass,
    nextDueAt: due.nextDueAt,
    paces
  })
})

export const layer = Layer.effectDiscard(make)
