/** Marks a copy as unfinished and stores the names of the projections rebuilt in it. */
import type { DatabaseSync } from "node:sqlite"

const table = "rebuild_names"

export const set = (db: DatabaseSync, names: ReadonlyArray<string>): void => {
  db.exec(`CREATE TABLE ${table} (projection TEXT PRIMARY KEY) STRICT`)
  const insert = db.prepare(`INSERT INTO ${table} VALUES (?)`)
  for (const name of names) insert.run(name)
}

export const clear = (db: DatabaseSync): void => db.exec(`DROP TABLE ${table}`)

/** The names. `undefined` when the copy is finished. */
export const read = (db: DatabaseSync): ReadonlyArray<string> | undefined => {
  const isThere = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(table) !== undefined
  if (!isThere) return undefined
  return db
    .prepare(`SELECT projection FROM ${table} ORDER BY projection`)
    .all()
    .map(({ projection }) => String(projection))
}
