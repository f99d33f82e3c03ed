/** Replaces the file in use by a finished copy. Readers never see less than before. */
import * as fs from "node:fs"
import { type Duration, Effect } from "effect"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Database from "#streams/sqlite/Database.ts"
import type { Board, Progress } from "../Progress.ts"
import type { Projection } from "../Projection.ts"
import { ReadModelError } from "../ReadModelError.ts"
import * as StoredCheckpoints from "../runner/StoredCheckpoints.ts"
import * as CopyMark from "./CopyMark.ts"
import * as Generations from "./Generations.ts"
import { CopyRefused } from "./RebuildError.ts"

/** How long the copy may take to apply what was appended since it was finished. */
const timeout: Duration.Input = "60 seconds"

const attempt = <A>(run: () => A): Effect.Effect<A, ReadModelError | CopyRefused> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      cause instanceof CopyRefused
        ? cause
        : new ReadModelError({ reason: "The copy of the read models cannot be used", cause })
  })

/** Renames the copy to the next generation if it is finished and has the projections of this release. */
export const promote = (
  base: string,
  projections: ReadonlyArray<Projection>
): Effect.Effect<string, ReadModelError | CopyRefused> =>
  attempt(() => {
    assertFinished(Generations.copyOf(base))
    const stored = StoredCheckpoints.read(Generations.copyOf(base))
    const missing = projections.find(({ name, version }) => stored.get(name)?.version !== version)
    if (missing !== undefined) {
      const { name, version } = missing
      throw new CopyRefused({
        reason: `The copy was built by another release: it lacks version ${version} of ${name}`
      })
    }
    return Generations.promote(base)
  })

/** Replaces the file while no server runs. The caller must hold the directory's lock. */
export const replace = (
  base: string,
  projections: ReadonlyArray<Projection>
): Effect.Effect<void, ReadModelError | CopyRefused> =>
  Effect.map(promote(base, projections), (filename) => Generations.removeOthers(base, filename))

const assertFinished = (copy: string) => {
  if (!fs.existsSync(copy)) throw new CopyRefused({ reason: "There is no copy to take over" })
  const db = Database.open({ filename: copy, readOnly: true, synchronous: "NORMAL" })
  try {
    if (CopyMark.read(db) !== undefined) throw new CopyRefused({ reason: "The copy is not finished" })
  } finally {
    db.close()
  }
}

interface Sides {
  readonly from: string
  readonly to: string
  /** The reports of the runner of `to`. */
  readonly board: Board
  readonly take: (states: ReadonlyArray<Progress>) => void
}

/**
 * Waits until `to` includes everything that can be read from `from`, and in the same step calls `take` with the states in
 * `to`, so that no read happens in between. The runner of `from` may continue meanwhile.
 */
export const whenCaughtUp = (sides: Sides): Effect.Effect<void, ReadModelError | CopyRefused> =>
  attempt(() => compare(sides)).pipe(
    Effect.flatMap((behind) =>
      behind === undefined ? Effect.succeed(true) : Effect.as(reach(sides.board, behind), false)
    ),
    Effect.repeat({ until: (isDone) => isDone }),
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () =>
        Effect.fail(new CopyRefused({ reason: "The copy does not catch up with the rows in use" }))
    }),
    Effect.asVoid
  )

interface Behind {
  readonly name: string
  readonly wanted: GlobalPosition.GlobalPosition
}

const compare = ({ from, to, board, take }: Sides): Behind | undefined => {
  const before = StoredCheckpoints.read(from)
  const after = StoredCheckpoints.read(to)
  const moved: Array<Progress> = []
  for (const [name, state] of board.states()) {
    const wanted = before.get(name)?.position ?? GlobalPosition.beginning
    const position = after.get(name)?.position ?? GlobalPosition.beginning
    if (!GlobalPosition.isReached(wanted, position)) return { name, wanted }
    moved.push({ projections: [name], ...state, position })
  }
  take(moved)
  return undefined
}

const reach = (board: Board, { name, wanted }: Behind) =>
  board
    .until(name, ({ position, stopped }) => stopped || GlobalPosition.isReached(wanted, position))
    .pipe(
      Effect.flatMap((state) =>
        state !== undefined && GlobalPosition.isReached(wanted, state.position)
          ? Effect.void
          : Effect.fail(new CopyRefused({ reason: `${name} stops in the copy before where it stands now` }))
      )
    )
