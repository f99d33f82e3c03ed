/**
 * How the projections keep up with the log, as seen from outside of their thread: one that hangs in a write, or ends at
 * each of its starts, moves no more and cannot say so.
 */
import { Context, Effect, Layer, Schedule } from "effect"
import { Projections } from "#projections/Projections.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const interval = "500 millis"

/** While read models are built, a line of the log says how far they are so often. */
const toldEvery = "5 seconds"

/** A projection that has not moved for so long, with events to apply, is stalled, ms. */
export const stalledAfterMs = 5_000

/** Events that a projection at the beginning of the log has to be behind to count as one that is built anew. */
const leastToBuild = 1_000

/** Heads of the log that are remembered with when they were first seen. */
const mostHeads = 512

export interface Pace {
  /** It has met an event that it cannot apply. */
  readonly isStopped: boolean
  /** It is built from the beginning of the log, and has not reached what was its head then. */
  readonly isBuilding: boolean
  /** When the oldest event that it has not applied was first seen on the log (`MonotonicTime.millis`). */
  readonly behindSince: number
  /** Since when it has not moved, while there was something to apply. */
  readonly unmovedSince: number
}

/** Events of the log, on NATS places in it. */
export interface Building {
  readonly projection: string
  readonly done: number
  readonly of: number
}

interface SeenHead {
  readonly position: GlobalPosition.GlobalPosition
  readonly at: number
}

/** What is seen of the head and of the projections at different times, put together. */
export const makeTracker = () => {
  const paces = new Map<string, Pace>()
  const positions = new Map<string, GlobalPosition.GlobalPosition>()
  /** What those that are built anew have to reach. */
  const building = new Map<string, GlobalPosition.GlobalPosition>()
  let heads: Array<SeenHead> = []

  const see = (
    now: number,
    head: GlobalPosition.GlobalPosition,
    standings: Iterable<
      readonly [string, { readonly position: GlobalPosition.GlobalPosition; readonly stopped: boolean }]
    >
  ): void => {
    const last = heads.at(-1)
    if (last === undefined || GlobalPosition.order(head, last.position) > 0)
      heads.push({ position: head, at: now })
    let slowest = head
    for (const [name, { position, stopped }] of standings) {
      if (GlobalPosition.order(position, slowest) < 0) slowest = position
      const missing = heads.find((seen) => GlobalPosition.order(seen.position, position) > 0)
      const before = paces.get(name)
      const last = positions.get(name) ?? GlobalPosition.beginning
      const isMoved = last !== position
      const isAnew = GlobalPosition.order(position, last) < 0 || position === GlobalPosition.beginning
      if (isAnew && GlobalPosition.sequence(head) - GlobalPosition.sequence(position) >= leastToBuild) {
        building.set(name, head)
      }
      if (GlobalPosition.isReached(building.get(name) ?? GlobalPosition.beginning, position))
        building.delete(name)
      positions.set(name, position)
      if (missing === undefined) paces.delete(name)
      else {
        const unmovedSince = before === undefined || isMoved ? now : before.unmovedSince
        paces.set(name, {
          behindSince: missing.at,
          unmovedSince,
          isStopped: stopped,
          isBuilding: building.has(name)
        })
      }
    }
    heads = heads.filter(({ position }) => GlobalPosition.order(position, slowest) > 0)
    // Coarser: the oldest one stays.
    if (heads.length > mostHeads) heads = heads.filter((_, index) => index % 2 === 0)
  }

  return {
    see,
    /** `null` while it is level with the log. */
    of: (projection: string): Pace | null => paces.get(projection) ?? null,
    /** Those that are built anew, the slowest first. */
    building: (): ReadonlyArray<Building> =>
      [...building]
        .map(([projection, wanted]) => ({
          projection,
          done: GlobalPosition.sequence(positions.get(projection) ?? GlobalPosition.beginning),
          of: GlobalPosition.sequence(wanted)
        }))
        .sort((a, b) => a.done - b.done)
  }
}

/** Of the one that has most left to do. */
const tellBuilding = (building: ReadonlyArray<Building>): Effect.Effect<void> => {
  const [slowest] = building
  if (slowest === undefined) return Effect.void
  return Effect.logInfo("Read models are built from the log").pipe(
    Effect.annotateLogs({
      events: slowest.done,
      of: slowest.of,
      projections: building.map(({ projection }) => projection).join(", ")
    })
  )
}

export class ProjectionPace extends Context.Service<
  ProjectionPace,
  {
    /** `null` while it is level with the log. */
    readonly of: (projection: string) => Pace | null
  }
>()("inferlog/src/platform/health/ProjectionPace") {
  static readonly layer = Layer.effect(
    ProjectionPace,
    Effect.gen(function* () {
      const projections = yield* Projections
      const reader = yield* EventReader
      const tracker = makeTracker()
      const look = Effect.gen(function* () {
        const head = yield* reader.head
        tracker.see(yield* MonotonicTime.millis, head, yield* projections.standings)
      }).pipe(Effect.ignore)
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(interval)))
      const tell = Effect.suspend(() => tellBuilding(tracker.building()))
      yield* Effect.forkScoped(Effect.repeat(tell, Schedule.spaced(toldEvery)))
      return { of: tracker.of }
    })
  )
}

/** Since when the projection is stalled; `null` when it is not. */
export const stalledSince = (pace: Pace | null, now: number): number | null =>
  pace !== null && now - pace.unmovedSince > stalledAfterMs ? pace.unmovedSince : null
