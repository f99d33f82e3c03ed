/**
 * The loop of a reactor over rows that fall due. A pass begins when a read model moves, when the reactor asks for it, when the
 * next row falls due, every 5 s while due rows are left, and with each recovery, should a signal have been lost. Passes never
 * overlap.
 */
import { Context, Effect, Queue, Stream } from "effect"
import { Projections } from "#projections/Projections.ts"
import type { GlobalPosition } from "#streams/GlobalPosition.ts"
import { supervise } from "#src/kernel/async/Supervise.ts"
import { earliest } from "#src/kernel/time/Earliest.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import { Nodes } from "../cluster/Nodes.ts"
import * as ClaimTurns from "./ClaimTurns.ts"

/**
 * How often work of nodes that are gone is recovered, and how long an idle loop waits, ms. Work is also recovered when nodes come
 * or go.
 */
export const RecoveryInterval = Context.Reference<number>("inferlog/src/platform/reactors/RecoveryInterval", {
  defaultValue: () => 60_000
})

/** The longest wait while due rows are left, ms. Otherwise the loop waits until the next recovery. */
const leftMs = 5_000

/** ClaimTurns that begin within this time of each other are one wake-up, ms. */
const turnPaceMs = 50

/**
 * A read model that moves more often than this wakes a reactor only so often, ms: a pass costs several statements. Counted on
 * Node's timer, because it bounds the work of the process and has nothing to do with the time at which rows fall due.
 */
export const MovePace = Context.Reference<number>("inferlog/src/platform/reactors/MovePace", {
  defaultValue: () => 4
})

const pause = (ms: number): Effect.Effect<void> =>
  ms === 0
    ? Effect.void
    : Effect.callback((resume) => {
        const timer = setTimeout(() => resume(Effect.void), ms)
        return Effect.sync(() => clearTimeout(timer))
      })

/**
 * What a pass found. `moved`: the read models have moved, so that another pass may find more. `left`: due rows that have to
 * wait. `idle`: nothing is due.
 */
export type Found = "moved" | "left" | "idle"

export interface Reactor<E, E2, E3> {
  /** For the log, as in "The dispatcher failed and starts over". */
  readonly name: string
  /** The projections whose rows it reads. */
  readonly projections: ReadonlyArray<string>
  /** Recovers work of nodes that are gone. Runs in turn with the passes. */
  readonly recover: Effect.Effect<unknown, E>
  /** Handles what is due. */
  readonly pass: Effect.Effect<Found, E2>
  /** When the first row after `after` falls due, both Unix time in ms; `null` when none does. */
  readonly nextDueAt: (after: number) => Effect.Effect<number | null, E3>
  /** Whether a read model that has moved to `position` may show something to do. Default: always. */
  readonly needsPass?: (position: GlobalPosition) => boolean
  /** The time between two wake-ups by a read model, as a multiple of `MovePace`. Default: 1. */
  readonly paces?: number
}

export const make = Effect.gen(function* () {
  const projections = yield* Projections
  const node = yield* Nodes
  const steady = yield* SteadyTime
  const movePaceMs = yield* MovePace
  const recoveryIntervalMs = yield* RecoveryInterval
  const wakeUps = yield* Queue.sliding<void>(1)
  const wake = () => Queue.offerUnsafe(wakeUps, undefined)

  /** Whether nodes have come or gone since the last recovery. */
  let haveNodesChanged = false

  /** When the first row that another node is to take becomes this node's, Unix time in ms. */
  let nextTurnAt: number | null = null

  /** When the reactor asked to be woken, Unix time in ms. */
  let wakeAt: number | null = null

  /** When the loop woke (`MonotonicTime.millis`); `null` while it sleeps. */
  let awakeSince: number | null = yield* MonotonicTime.millis

  /** When the last pass began, Unix time in ms. It may not have seen rows that fell due since. */
  let passedAt = yield* steady.now

  /** When the sleeping loop wakes by itself, Unix time in ms; `null` while it is awake. */
  let sleepsUntil: number | null = null

  /** The rows whose turn is this node's. The loop wakes when the turn of another row comes. */
  const ownOf = <Row extends { readonly requestId: string; readonly dueAt: number }>(
    rows: ReadonlyArray<Row>,
    now: number,
    {
      graceMs,
      nodes = node.live()
    }: { readonly graceMs?: number; readonly nodes?: ReadonlyArray<string> } = {}
  ): ReadonlyArray<Row> => {
    const turns = ClaimTurns.of(rows, node.self, nodes, now, graceMs)
    nextTurnAt = earliest(nextTurnAt, turns.nextAt)
    return turns.rows
  }

  const run = <E, E2, E3>({
    name,
    needsPass = () => true,
    nextDueAt,
    paces = 1,
    pass,
    projections: names,
    recover
  }: Reactor<E, E2, E3>) => {
    const freshPass = Effect.flatMap(steady.now, (now) => {
      passedAt = now
      nextTurnAt = null
      wakeAt = null
      return pass
    })

    /** Ends when nothing is left to do, and at `until` in any case. */
    const drain = (until: number) =>
      Effect.repeat(freshPass, {
        while: (found) =>
          Effect.map(MonotonicTime.millis, (now) => found === "moved" && !haveNodesChanged && now < until)
      })

    /** Ends at the next signal, when the next row falls due, or after `longestMs`. */
    const untilNext = Effect.fnUntraced(function* (longestMs: number) {
      const now = yield* steady.now
      const turnAt = nextTurnAt === null ? null : Math.max(nextTurnAt, now + turnPaceMs)
      const rowAt = yield* nextDueAt(passedAt)
      const dueAt = earliest(earliest(rowAt, turnAt), wakeAt)
      const wait = Math.min(dueAt === null ? longestMs : Math.max(dueAt - now, 1), longestMs)
      awakeSince = null
      sleepsUntil = now + wait
      yield* Effect.timeoutOption(Queue.take(wakeUps), wait)
      sleepsUntil = null
      awakeSince = yield* MonotonicTime.millis
    })

    const round = Effect.gen(function* () {
      haveNodesChanged = false
      yield* recover
      const until = (yield* MonotonicTime.millis) + recoveryIntervalMs
      while (!haveNodesChanged && (yield* MonotonicTime.millis) < until) {
        const found = yield* drain(until)
        const leftOfRound = Math.max(until - (yield* MonotonicTime.millis), 1)
        yield* untilNext(found === "idle" ? leftOfRound : Math.min(leftOfRound, leftMs))
      }
    })

    const follow = (projection: string) =>
      Stream.runForEach(projections.changes(projection), (position) =>
        Effect.suspend(() => {
          if (!needsPass(position)) return Effect.void
          wake()
          return pause(paces * movePaceMs)
        })
      )

    const followNodes = Stream.runForEach(node.changes, () =>
      Effect.sync(() => {
        haveNodesChanged = true
        wake()
      })
    )

    const fibers = [Effect.forever(round), ...names.map(follow), followNodes]
    return Effect.forEach(fibers, (fiber) => Effect.forkScoped(supervise(name, fiber)), { discard: true })
  }

  const askAt = (at: number) => {
    wakeAt = earliest(wakeAt, at)
    // The pass asks again for what is still needed.
    if (sleepsUntil !== null && at < sleepsUntil) wake()
  }

  return {
    /** Asks for a pass. */
    wake,
    /** Asks for a pass at a time, Unix time in ms. A pass forgets what was asked for before it. */
    wakeAt: askAt,
    /** Due rows are left at `now`, Unix time in ms, by something other than a pass. */
    left: (now: number) => askAt(now + leftMs),
    ownOf,
    /** Since when the loop has been awake (`MonotonicTime.millis`); `null` while it sleeps. */
    awakeSince: () => awakeSince,
    /** Runs the reactor for as long as the scope is open. */
    run
  }
})
