/** Reads a file of read models as of one moment, for comparisons. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, type Scope } from "effect"
import * as Database from "#streams/sqlite/Database.ts"
import { ReadModelError } from "../ReadModelError.ts"
import { describe } from "../runner/Failure.ts"
import type { Difference, Row, Sides } from "./Differences.ts"

/** Opens a file as it is now, in a read transaction until the scope ends. Until then its journal grows. */
export const open = (filename: string): Effect.Effect<DatabaseSync, ReadModelError, Scope.Scope> =>
  Effect.acquireRelease(
    attempt(() => {
      const db = Database.open({ filename, readOnly: true, synchronous: "NORMAL" })
      db.exec("BEGIN; SELECT 1 FROM sqlite_schema")
      return db
    }),
    (db) => Effect.sync(() => db.close())
  )

/** Compares the checkpoints: both must name the same event of this log. */
export const checkpointDifference = ({ expected, stored }: Sides, projection: string): Difference | null => {
  const [found, wanted] = [checkpointOf(stored, projection), checkpointOf(expected, projection)]
  return found["position"] === wanted["position"] && found["hash"] === wanted["hash"]
    ? null
    : { kind: "checkpoint", table: "checkpoints", key: { projection }, stored: found, expected: wanted }
}

const checkpointOf = (db: DatabaseSync, projection: string): Row => {
  const row = db.prepare("SELECT position, hash FROM checkpoints WHERE projection = ?").get(projection)
  return { position: String(row?.["position"]), hash: String(row?.["hash"]) }
}

export const attempt = <A>(run: () => A): Effect.Effect<A, ReadModelError> =>
  Effect.try({
    try: run,
    catch: (cause) =>
      new ReadModelError({
        reason: `The rows in use cannot be read (${describe(cause)}): nothing was changed`,
        cause
      })
  })
