/**
 * Whether the rows in use are what the log leads to: a copy is built beside them, to exactly where they stand, and every row
 * of every table is compared. It changes nothing, and the server that writes the rows goes on.
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

/** Rows that were there when this began are built anew, and are not as far again in time. */
export class RowsWentBack extends Schema.TaggedError<RowsWentBack>()("RowsWentBack", {
  projection: Schema.String
}) {
  override get message(): string {
    return `The rows of ${this.projection} are being built anew: verify them when 'projections list' calls it live`
  }
}

/** `position` is that of the rows in use, `rows` how many were compared. */
export interface Verdict {
  readonly projection: Projection
  readonly position: GlobalPosition.GlobalPosition
  readonly rows: number
  /**
   * `other version`: the rows are another release's, and the next server of this one builds them anew; so it does with
   * those that are `not built`.
   */
  readonly result: "equal" | "different" | "not built" | "other version"
  readonly difference: Differences.Difference | null
}

export interface VerificationOptions {
  /** Of the first generation (`Generations`). */
  readonly base: string
  /** Those to verify. */
  readonly projections: ReadonlyArray<Projection>
  /** The number of events read so far. */
  readonly onBuilt?: (events: number) => Effect.Effect<void>
  /** The number of rows compared so far. */
  readonly onCompared?: (rows: number) => Effect.Effect<void>
}

/** Events that may be left to apply while the rows in use are held still. */
const nearby = 512

/** How often, and at which interval, rows that are built anew are looked at until they are as far as they were. */
const patience = { schedule: Schedule.spaced("500 millis"), times: 120 }

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

  // The rows go on meanwhile. Only the last few events are applied while they are held.
  let read = 0
  let before: number
  do {
    before = read
    const targets = yield* Effect.map(checkpoints, positionsOf(projections))
    yield* copy.reach(targets, (events) => onBuilt((read = events)))
  } while (read - before >= nearby)
  return yield* Effect.retry(compare(copy, options), {
    ...patience,
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

/** Of those that the file has in this release's version. */
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
