/** One log, its provider, its nodes, and everything that happens to them: time, sweeps, crashes. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Projections } from "#projections/Projections.ts"
import { Sweeper } from "#src/features/dispatch/sweep/Sweeper.ts"
import { EventStore } from "#streams/EventStore.ts"
import { AppendFaults } from "#test/support/AppendFaults.ts"
import * as TestNode from "#test/support/TestNode.ts"
import * as Faults from "./Faults.ts"
import * as Offers from "./Offers.ts"
import * as OwnBooks from "./OwnBooks.ts"
import * as Runs from "./Runs.ts"
import type { Turn } from "./Script.ts"

interface Node {
  readonly name: string
  readonly node: TestNode.TestNode
}

export interface World {
  readonly runs: Runs.Runs
  readonly faults: Faults.Faults
  /** The node that clients call, if one is alive. */
  readonly node: () => TestNode.TestNode
  /** Runs an effect on the node. The result of a dead node is lost. */
  readonly on: <A, E, R>(
    effect: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, Exclude<R, TestNode.NodeServices>>
  readonly isAlive: (name: string) => boolean
  /** Whether clients could ever call two nodes at once. */
  readonly wasShared: () => boolean
  /** Whether another node ever wrote beside the one that clients call, whose memory may be outdated. */
  readonly hadOthers: () => boolean
  readonly take: (turn: Turn) => Effect.Effect<void>
  /** Waits until nothing more happens without time. */
  readonly settle: Effect.Effect<void>
  /** Crashed nodes write again if `isHeard`, finish their work and end. A live node remains. */
  readonly bury: (isHeard: boolean) => Effect.Effect<void>
  /** Runs an effect in the background. Defects are recorded, failures ignored. */
  readonly fork: <R>(effect: Effect.Effect<unknown, unknown, R>) => Effect.Effect<void, never, R>
  readonly defects: () => ReadonlyArray<unknown>
  readonly books: Effect.Effect<OwnBooks.OwnBooks>
}

/** Everything that is ready, except test timers. */
const macrotask = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Turns of the event loop without progress, during which files are written. */
const quietTurns = 8

export const make = Effect.gen(function* () {
  const store = yield* EventStore
  const scope = yield* Effect.scope
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof TestNode.start>>>()
  const faults = Faults.make()
  const defects: Array<unknown> = []
  let living: ReadonlyArray<Node> = []
  let dead: ReadonlyArray<Node> = []
  let born = 0
  let isShared = false
  let hasOthers = false

  const start = Effect.gen(function* () {
    const name = `node-${born++}`
    const node = yield* TestNode.start({ name, catalog: Offers.catalog })
    yield* node.on(Effect.map(AppendFaults, ({ decide }) => decide(faults.fateOf)))
    living = [...living, { name, node }]
  }).pipe(Effect.provide(context), Effect.orDie)
  yield* start

  const newest = (): Node => {
    const found = living.at(-1)
    if (found === undefined) throw new Error("no node lives")
    return found
  }
  const runs = yield* Runs.make(() => living.at(-1)?.name ?? "nobody")

  /** Whether the read models of the node have reached the head of the log. */
  const isLevel = Effect.suspend(() => newest().node.on(Projections)).pipe(
    Effect.flatMap(({ states }) => Effect.all([states, store.head])),
    Effect.map(([states, head]) => [...states.values()].every(({ position }) => position === head))
  )

  const settle = Effect.gen(function* () {
    let seen = ""
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      yield* macrotask
      const now = `${yield* store.head} ${runs.counts()}`
      if (now !== seen || !(yield* isLevel)) quiet = -1
      seen = now
    }
  }).pipe(Effect.orDie)

  const crash = Effect.fnUntraced(function* (unheard: number) {
    const { name, node } = newest()
    let left = unheard
    yield* node.crash
    if (left > 0) {
      hasOthers = true
      yield* node.on(
        Effect.map(AppendFaults, ({ decide }) => decide(() => (left-- > 0 ? "stored unheard" : "refused")))
      )
    }
    dead = [...dead, ...living.filter((one) => one.name === name)]
    living = living.filter((one) => one.name !== name)
    // One is enough to come back.
    yield* Effect.forEach(dead.slice(0, -1), ({ node }) => node.stop, { discard: true })
    dead = dead.slice(-1)
  })

  const revive = Effect.suspend(() => {
    hasOthers ||= dead.length > 0
    return Effect.forEach(dead, ({ node }) => node.revive, { discard: true })
  })

  const stopDead = Effect.suspend(() => {
    const stopping = dead
    dead = []
    return Effect.forEach(stopping, ({ node }) => node.stop, { discard: true })
  })

  const fork: World["fork"] = (effect) =>
    Effect.catchDefect(effect, (defect) => Effect.sync(() => defects.push(defect))).pipe(
      Effect.exit,
      Effect.forkIn(scope),
      Effect.asVoid
    )

  const take = Effect.fnUntraced(function* (turn: Turn) {
    switch (turn._tag) {
      case "Race":
        return
      case "Settle":
        return yield* settle
      case "Clock":
        yield* TestClock.adjust(turn.ms)
        return yield* settle
      case "Sweep":
        yield* fork(newest().node.on(Effect.flatMap(Sweeper, ({ sweep }) => sweep)))
        return yield* settle
      case "Crash":
        yield* crash(turn.unheard)
        if (living.length === 0) yield* start
        return
      case "Revive":
        return yield* revive
      case "Restart": {
        const { name, node } = newest()
        yield* node.stop
        living = living.filter((one) => one.name !== name)
        if (living.length === 0) yield* start
        return
      }
      case "Outage":
        yield* Effect.forEach(living, () => crash(0), { discard: true })
        yield* stopDead
        yield* TestClock.adjust(turn.ms)
        yield* start
        return yield* settle
      case "Join":
        isShared = true
        hasOthers = true
        if (living.length < 2) yield* start
        return
    }
  })

  const bury = Effect.fnUntraced(function* (isHeard: boolean) {
    if (isHeard) yield* revive
    yield* settle
    if (isHeard) yield* TestClock.adjust("2 seconds")
    yield* stopDead
    yield* settle
  })

  const world: World = {
    runs,
    faults,
    node: () => newest().node,
    on: (effect) =>
      Effect.suspend(() => {
        const asked = living.at(-1)
        if (asked === undefined) return Effect.interrupt
        return Effect.flatMap(asked.node.on(effect), (answer) =>
          living.includes(asked) ? Effect.succeed(answer) : Effect.interrupt
        )
      }),
    isAlive: (name) => living.some((one) => one.name === name),
    wasShared: () => isShared,
    hadOthers: () => hasOthers,
    take,
    settle,
    bury,
    fork,
    defects: () => defects,
    books: OwnBooks.make(store)
  }
  return world
})
