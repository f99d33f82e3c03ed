/** How far the projections are, as their readers see it: after the commit. */
import { Effect, Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export const Progress = Schema.Struct({
  projections: Schema.Array(Schema.String),
  position: GlobalPosition.GlobalPosition,
  /** They met an event that they cannot apply, and stay here until the program is started again or they are rebuilt. */
  stopped: Schema.Boolean,
  /** Why they have stopped, without anything that the event holds. */
  reason: Schema.NullOr(Schema.String)
})
export type Progress = typeof Progress.Type

export interface ProjectionState {
  readonly position: GlobalPosition.GlobalPosition
  readonly stopped: boolean
  readonly reason: string | null
}

export interface Board {
  readonly publish: (moved: ReadonlyArray<Progress>) => void
  readonly states: () => ReadonlyMap<string, ProjectionState>
  /** Where the projection stands as soon as that is as wanted; `undefined` when there is no such projection. */
  readonly until: (
    projection: string,
    wanted: (state: ProjectionState) => boolean
  ) => Effect.Effect<ProjectionState | undefined>
}

export const makeBoard = (): Board => {
  const states = new Map<string, ProjectionState>()
  const waiting = new Map<string, Set<() => void>>()

  const wake = (projection: string) => {
    const woken = waiting.get(projection)
    waiting.delete(projection)
    for (const check of woken ?? []) check()
  }

  const wait = (projection: string, check: () => void) => {
    const others = waiting.get(projection)
    if (others === undefined) waiting.set(projection, new Set([check]))
    else others.add(check)
  }

  return {
    publish: (moved) => {
      for (const { projections, ...state } of moved) {
        for (const projection of projections) states.set(projection, state)
      }
      // Whoever is woken runs at once: it is to see all states as they are now.
      for (const { projections } of moved) projections.forEach(wake)
    },
    states: () => new Map(states),
    until: (projection, wanted) =>
      Effect.callback((resume) => {
        const check = () => {
          const state = states.get(projection)
          if (state === undefined || wanted(state)) resume(Effect.succeed(state))
          else wait(projection, check)
        }
        check()
        return Effect.sync(() => waiting.get(projection)?.delete(check))
      })
  }
}
