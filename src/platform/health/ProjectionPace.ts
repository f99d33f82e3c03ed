/** Tracks the projections from outside their thread: one that hangs in a write or ends at each start reports nothing. */
import { Context, Effect, Layer, Schedule } from "effect"
import { Projections } from "#projections/Projections.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"

const interval = "500 millis"

/** How often the progress is logged while read models are built. */
const toldEvery = "5 seconds"

/** A projection with events to apply that has not moved for this long is stalled, ms. */
export const stalledAfterMs = 5_000

/** How many events behind a projection at the beginning of the log must be to count as building. */
const leastToBuild = 1_000

/** How many heads of the log are stored with the time at which they were first seen. */
const mostHeads = 512

export interface Pace {
  /** The projection has reached an event that it cannot apply. */
  readonly isStopped: boolean
  /** The projection is built from the beginning of the log and has not reached the head of that time. */
  readonly isBuilding: boolean
  /** When the oldest event that is not applied was first seen on the log (`MonotonicTime.millis`). */
  readonly behindSince: number
  /** When the projection last moved, or last had nothing to apply. */
  readonly unmovedSince: number
}

/** Positions count events, or on NATS messages. */
export interface Building {
  readonly projection: string
  readonly done: number
  readonly of: number
}

interface SeenHead {
  readonly position: GlobalPosition.GlobalPosition
  readonly at: number
}

/** Combines observations of the head and of the projections over time. */
export const makeTracker = () => {
  const paces = new Map<string, Pace>()
  const positions = new Map<string, GlobalPosition.GlobalPosition>()
  /** Per building projection: the position that it must reach. */
  const building = new Map<string, GlobalPosition.GlobalPosition>()
  let heads: Array<SeenHead> = []

  const see = (
    now: number,
    head: GlobalPosition.GlobalPosition,
    states: Iterable<
      readonly [string, { readonly position: GlobalPosition.GlobalPosition; readonly stopped: boolean }]
    >
  ): void => {
    const last = heads.at(-1)
    if (last === undefined || GlobalPosition.order(head, last.position) > 0)
      heads.push({ position: head, at: now })
    let slowest = head
    for (const [name, { position, stopped }] of states) {
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
    // Drops every second entry. The oldest one stays.
    if (heads.length > mostHeads) heads = heads.filter((_, index) => index % 2 === 0)
  }

  return {
    see,
    /** `null` while the projection is level with the log. */
    of: (projection: string): Pace | null => paces.get(projection) ?? null,
    /** Projections that are being built, the slowest first. */
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

/** Logs the progress of the slowest projection. */
const tellBuilding = (building: ReadonlyArray<Building>): Effect.Effect<void> => {
  const [slowest] = building
  if (slowest === undefined) return Effect.void
  return Effect.logInfo("Building read models from the log").pipe(
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
    /** `null` while the projection is level with the log. */
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
        tracker.see(yield* MonotonicTime.millis, head, yield* projections.states)
      }).pipe(Effect.ignore)
      yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(interval)))
      const tell = Effect.suspend(() => tellBuilding(tracker.building()))
      yield* Effect.forkScoped(Effect.repeat(tell, Schedule.spaced(toldEvery)))
      return { of: tracker.of }
    })
  )
}

/** The time since which the projection is stalled; `null` when it is not. */
export const stalledSince = (pace: Pace | null, now: number): number | null =>
  pace !== null && now - pace.unmovedSince > stalledAfterMs ? pace.unmovedSince : null
