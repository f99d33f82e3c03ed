/** The progress of projections, reported after each commit. */
import { Effect, Schema } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"

export const Progress = Schema.Struct({
  projections: Schema.Array(Schema.String),
  position: GlobalPosition.GlobalPosition,
  /** An event could not be applied. The projections stay here until the server restarts or they are rebuilt. */
  stopped: Schema.Boolean,
  /** Why they stopped. Contains no data of the event. */
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
  /** Waits until the state of the projection satisfies `isReached`, and returns it. `undefined` for an unknown projection. */
  readonly until: (
    projection: string,
    isReached: (state: ProjectionState) => boolean,
    /** Called if it has to wait. */
    onWait?: () => void
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
      // Woken readers run at once, and must see all states updated.
      for (const { projections } of moved) projections.forEach(wake)
    },
    states: () => new Map(states),
    until: (projection, isReached, onWait) =>
      Effect.callback((resume) => {
        const check = () => {
          const state = states.get(projection)
          if (state === undefined || isReached(state)) resume(Effect.succeed(state))
          else wait(projection, check)
        }
        check()
        if (waiting.get(projection)?.has(check) === true) onWait?.()
        return Effect.sync(() => waiting.get(projection)?.delete(check))
      })
  }
}
