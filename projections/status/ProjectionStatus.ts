/** The progress of projections for operators, as reported by a running server or, without one, by their file. */
import * as fs from "node:fs"
import { Clock, Effect, Option, Schema, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { ProjectionState } from "../Progress.ts"
import type { Projection } from "../Projection.ts"
import { attempt, type ReadModelError } from "../ReadModelError.ts"
import * as CopyProgress from "../rebuild/CopyProgress.ts"
import * as Generations from "../rebuild/Generations.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"

/**
 * `live`: lists include what clients have seen. `catching up`: further behind than a list waits. `stopped`: cannot apply an
 * event (`reason`). `not running`: no server runs. `not built`: the next server builds it from the log.
 */
export const State = Schema.Literals(["live", "catching up", "stopped", "not running", "not built"])
export type State = typeof State.Type

const Distance = {
  position: GlobalPosition.GlobalPosition,
  /** Events of the log that are not applied yet. */
  behind: Schema.Int
}

export const ProjectionStatus = Schema.Struct({
  name: Schema.String,
  version: Schema.Int,
  ...Distance,
  /** Age of the oldest event that is not applied yet, ms. 0 when there is none. */
  lagMs: Schema.Int,
  state: State,
  /** Why the projection has stopped. */
  reason: Schema.NullOr(Schema.String),
  /** Progress of a rebuild under way. */
  rebuild: Schema.NullOr(Schema.Struct(Distance))
})
export type ProjectionStatus = typeof ProjectionStatus.Type

export const ProjectionStatuses = Schema.Struct({
  head: GlobalPosition.GlobalPosition,
  /** The file of the read models, and its size including the journal. */
  file: Schema.String,
  bytes: Schema.Int,
  projections: Schema.Array(ProjectionStatus)
})
export type ProjectionStatuses = typeof ProjectionStatuses.Type

/** How long a list waits for its projection, ms (`Projections.waitFor`). */
const listTimeoutMs = 2_000

export interface StatusOptions {
  readonly base: string
  readonly projections: ReadonlyArray<Projection>
  /** The states in the running server. */
  readonly states?: ReadonlyMap<string, ProjectionState>
}

export const read = Effect.fn("ProjectionStatus.read")(function* ({
  base,
  projections,
  states
}: StatusOptions): Effect.fn.Return<ProjectionStatuses, EventStoreError | ReadModelError, EventReader> {
  const reader = yield* EventReader
  const head = yield* reader.head
  const file = Generations.current(base)
  const stored = yield* attempt("The file of the read models cannot be read", () =>
    StoredCheckpoints.read(file)
  )
  const copied = CopyProgress.read(base)

  const to = (position: GlobalPosition.GlobalPosition) => ({
    position,
    behind: Math.max(GlobalPosition.sequence(head) - GlobalPosition.sequence(position), 0)
  })
  const lagAfter = Effect.fnUntraced(function* (position: GlobalPosition.GlobalPosition) {
    const next = yield* Stream.runHead(reader.readAll(position))
    return Option.isNone(next) ? 0 : Math.max((yield* Clock.currentTimeMillis) - next.value.time, 0)
  })
  const statusOf = Effect.fnUntraced(function* ({ name, version }: Projection) {
    const state = states?.get(name)
    const found = stored.get(name)
    const storedPosition = found?.version === version ? found.position : undefined
    const position = state?.position ?? storedPosition ?? GlobalPosition.beginning
    const lagMs = yield* lagAfter(position)
    const copy = copied.get(name)
    return {
      name,
      version,
      ...to(position),
      lagMs,
      state:
        state === undefined
          ? storedPosition === undefined
            ? "not built"
            : "not running"
          : stateOf(state, lagMs),
      reason: state?.reason ?? null,
      rebuild: copy === undefined ? null : to(copy)
    } satisfies ProjectionStatus
  })

  const bytes = sizeOf(file) + sizeOf(`${file}-wal`)
  return { head, file, bytes, projections: yield* Effect.forEach(projections, statusOf) }
})

const sizeOf = (file: string) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0

const stateOf = ({ stopped }: ProjectionState, lagMs: number): State => {
  if (stopped) return "stopped"
  return lagMs > listTimeoutMs ? "catching up" : "live"
}
