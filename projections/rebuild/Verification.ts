/**
 * Verifies that the rows in use follow from the log: builds a copy up to the same positions beside them and compares every
 * row of every table. It changes nothing, and the server continues to write.
 */
import { Effect, Schedule, Schema, type Scope } from "effect"
import type { EventReader } from "#streams/EventReader.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import type { Projection } from "../Projection.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import type { CopyError } from "./Copy.ts"
import * as Differences from "./Differences.ts"
import * as ExactCopy from "./ExactCopy.ts"
import * as Generations from "./Generations.ts"
import { attempt, checkpointDifference } from "./FrozenRows.ts"
import * as FrozenRows from "./FrozenRows.ts"
import type { RebuildUnderWay } from "./RebuildError.ts"

/** The rows were complete when the verification began, are being rebuilt, and did not catch up in time. */
export class RowsWentBack extends Schema.TaggedError<RowsWentBack>()("RowsWentBack", {
  projection: Schema.String
}) {
  override get message(): string {
    return `The rows of ${this.projection} are being rebuilt: verify them when 'projections list' shows the projection as live`
  }
}

/** `position` is that of the rows in use, `rows` the number of compared rows. */
export interface Verdict {
  readonly projection: Projection
  readonly position: GlobalPosition.GlobalPosition
  readonly rows: number
  /**
   * `other version`: another release wrote the rows. `not built`: there are no rows. In both cases, the next server of this
   * release builds them.
   */
  readonly result: "equal" | "different" | "not built" | "other version"
  readonly difference: Differences.Difference | null
}

export interface VerificationOptions {
  /** The file of the first generation (`Generations`). */
  readonly base: string
  /** The projections to verify. */
  readonly projections: ReadonlyArray<Projection>
  /** Called with the number of events read so far. */
  readonly onBuilt?: (events: number) => Effect.Effect<void>
  /** Called with the number of rows compared so far. */
  readonly onCompared?: (rows: number) => Effect.Effect<void>
}

/** Events that may remain to be applied while the rows in use are frozen. */
const caughtUpWithin = 512

/** How long to wait for rows that are being rebuilt to reach their previous position. */
const retries = { schedule: Schedule.spaced("500 millis"), times: 120 }

export const run = Effect.fn("Verification.run")(function* (
  options: VerificationOptions
): Effect.fn.Return<
  ReadonlyArray<Verdict>,
  CopyError | RebuildUnderWay | RowsWentBack,
  EventReader | Scope.Scope
> {
  const { base, onBuilt = () => Effect.void, projections } = options
  const checkpoints = attempt(() => StoredCheckpoints.read(Generations.current(base)))
  const found = yield* checkpoints
  const built = positionsOf(projections)(found)
  if (built.size === 0)
    return projections.map((projection) => unbuilt(projection, found.get(projection.name)))
  const copy = yield* ExactCopy.open({ base, projections: projections.filter(({ name }) => built.has(name)) })

  // The rows in use change meanwhile. Only the last few events are applied while they are frozen.
  let read = 0
  let before: number
  do {
    before = read
    const targets = yield* Effect.map(checkpoints, positionsOf(projections))
    yield* copy.reach(targets, (events) => onBuilt((read = events)))
  } while (read - before >= caughtUpWithin)
  return yield* Effect.retry(compare(copy, options), {
    ...retries,
    while: ({ _tag }) => _tag === "RowsWentBack"
  })
})

const compare = Effect.fnUntraced(function* (
  copy: ExactCopy.ExactCopy,
  { base, onCompared = () => Effect.void, projections }: VerificationOptions
) {
  const stored = yield* FrozenRows.open(Generations.current(base))
  const checkpoints = yield* attempt(() => StoredCheckpoints.of(stored))
  const targets = positionsOf(projections)(checkpoints)
  for (const [projection, reached] of copy.positions()) {
    const target = targets.get(projection)
    if (target !== undefined && !GlobalPosition.isReached(reached, target)) {
      return yield* new RowsWentBack({ projection })
    }
  }
  yield* copy.reach(targets)
  const sides = { stored, expected: yield* FrozenRows.open(Generations.copyOf(base)) }
  let compared = 0
  return yield* Effect.forEach(
    projections,
    Effect.fnUntraced(function* (projection) {
      const { name } = projection
      const checkpoint = checkpoints.get(name)
      if (!copy.positions().has(name) || !targets.has(name)) return unbuilt(projection, checkpoint)
      const position = targets.get(name) ?? GlobalPosition.beginning
      const moved = yield* attempt(() => checkpointDifference(sides, name))
      if (moved !== null) return { projection, position, rows: 0, ...judge(moved) }
      const { difference, rows } = yield* walk(sides, name, (rows) => onCompared(compared + rows))
      compared += rows
      return { projection, position, rows, ...judge(difference) }
    })
  )
}, Effect.scoped)

const judge = (difference: Differences.Difference | null): Pick<Verdict, "result" | "difference"> => ({
  result: difference === null ? "equal" : "different",
  difference
})

const unbuilt = (
  projection: Projection,
  checkpoint: StoredCheckpoints.StoredCheckpoint | undefined
): Verdict => ({
  projection,
  position: checkpoint?.position ?? GlobalPosition.beginning,
  rows: 0,
  result:
    checkpoint === undefined || checkpoint.version === projection.version ? "not built" : "other version",
  difference: null
})

/** The positions of the projections that the file has in this release's version. */
const positionsOf =
  (projections: ReadonlyArray<Projection>) =>
  (stored: StoredCheckpoints.StoredCheckpoints): ExactCopy.Positions =>
    new Map(
      projections.flatMap(({ name, version }) => {
        const found = stored.get(name)
        return found?.version === version ? [[name, found.position] as const] : []
      })
    )

const walk = Effect.fnUntraced(function* (
  sides: Differences.Sides,
  projection: string,
  onCompared: (rows: number) => Effect.Effect<void>
) {
  const walked = Differences.walk(sides, projection)
  for (;;) {
    const step = yield* attempt(() => walked.next())
    if (step.done === true) return step.value
    yield* onCompared(step.value)
    yield* Effect.yieldNow
  }
})
