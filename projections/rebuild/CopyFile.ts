/** The file of a copy of the read models, beside the file in use. */
import { Effect, type Scope } from "effect"
import type { DatabaseSync } from "node:sqlite"
import * as Database from "#streams/sqlite/Database.ts"
import { ReadModelError } from "../ReadModelError.ts"
import { describe } from "../runner/Failure.ts"
import type { Failure } from "../runner/Group.ts"
import * as CopyMark from "./CopyMark.ts"
import * as Generations from "./Generations.ts"
import { NotApplicable, type RebuildUnderWay } from "./RebuildError.ts"
import * as RebuildLock from "./RebuildLock.ts"

/** KiB. A replay changes pages throughout the indexes. */
const cacheSize = 65_536

/**
 * Opens an empty file under the rebuild lock. The file is removed with the scope unless it was renamed by then. Leftovers of
 * a previous copy are removed.
 *
 * @param names of the projections that lists show as being rebuilt.
 */
export const open = Effect.fnUntraced(function* (
  base: string,
  names: ReadonlyArray<string>
): Effect.fn.Return<DatabaseSync, ReadModelError | RebuildUnderWay, Scope.Scope> {
  yield* RebuildLock.acquire(base)
  const filename = Generations.copyOf(base)
  const remove = Effect.sync(() => Generations.remove(filename))
  yield* Effect.acquireRelease(remove, () => remove)
  const db = yield* openDatabase(filename)
  yield* attempt(() => CopyMark.set(db, names))
  return db
})

const openDatabase = (filename: string) =>
  Effect.acquireRelease(
    attempt(() => {
      const db = Database.open({ filename, synchronous: "NORMAL" })
      db.exec(`PRAGMA cache_size = -${cacheSize}`)
      return db
    }),
    (db) =>
      Effect.sync(() => {
        if (db.isOpen) db.close()
      })
  )

export const unwritten = (cause: unknown): ReadModelError =>
  new ReadModelError({
    reason: `The copy of the read models cannot be written (${describe(cause)}): nothing was changed`,
    cause
  })

export const attempt = <A>(run: () => A): Effect.Effect<A, ReadModelError> =>
  Effect.try({ try: run, catch: unwritten })

export const notApplicable = ({ member, event, cause }: Failure): NotApplicable =>
  new NotApplicable({
    projection: member.name,
    position: event.position,
    type: event.type,
    reason: describe(cause)
  })
