/** Copies the rows of projections that are not rebuilt into the copy. */
import * as fs from "node:fs"
import type { DatabaseSync } from "node:sqlite"
import * as url from "node:url"
import type { Projection } from "../Projection.ts"

/**
 * Copies all of them as of one moment of `live`, which is only read. Projections that `live` lacks or has in another version
 * are left to be built from the log. SQLite fills empty tables page by page where tables and indexes are equal.
 */
export const run = (db: DatabaseSync, live: string, projections: ReadonlyArray<Projection>): void => {
  if (projections.length === 0 || !fs.existsSync(live)) return
  db.prepare("ATTACH ? AS live").run(`${url.pathToFileURL(live).href}?mode=ro`)
  try {
    db.exec("BEGIN IMMEDIATE")
    for (const projection of projections) copyRows(db, projection)
    db.exec("COMMIT")
  } catch (cause) {
    if (db.isTransaction) db.exec("ROLLBACK")
    throw cause
  } finally {
    db.exec("DETACH live")
  }
}

const copyRows = (db: DatabaseSync, { name, version, tables }: Projection): void => {
  const isCurrent = "projection = ? AND schema_version = ?"
  const copied = db
    .prepare(`INSERT INTO main.checkpoints SELECT * FROM live.checkpoints WHERE ${isCurrent}`)
    .run(name, version)
  if (copied.changes === 0) return
  db.exec(tables)
  const own = db.prepare("SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name GLOB ?")
  for (const { name: table } of own.all(`${name}_*`)) {
    db.exec(`INSERT INTO main."${String(table)}" SELECT * FROM live."${String(table)}"`)
  }
}
