/** The progress of projections for operators, as reported by a running server or, without one, by their file. */
import * as fs from "node:fs"
import { Clock, Effect, Option, Stream } from "effect"
import { EventReader, type EventStoreError } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { ProjectionState } from "../Progress.ts"
import type { Projection } from "../Projection.ts"
import { attempt, type ReadModelError } from "../ReadModelError.ts"
import * as CopyProgress from "../rebuild/CopyProgress.ts"
import * as Generations from "../rebuild/Generations.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import type { State, ProjectionStatus, ProjectionStatuses } from "./StatusViews.ts"

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
