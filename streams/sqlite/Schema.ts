/**
 * The tables of `log.sqlite`. Rows are never deleted: the row of an erased payload stays, without text and blob (see
 * `Transaction`).
 */
import type { DatabaseSync } from "node:sqlite"

/** `PRAGMA application_id`: "ilog". */
const applicationId = 0x696c6f67
const schemaVersion = 1

const tables = `
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    time INTEGER NOT NULL,
    data TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (stream, ordinal)
  ) STRICT;
  CREATE TABLE payloads (
    stream TEXT NOT NULL,
    name TEXT NOT NULL,
    salt TEXT NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    text TEXT,
    blob TEXT,
    UNIQUE (stream, name)
  ) STRICT;
  PRAGMA application_id = ${applicationId};
  PRAGMA user_version = ${schemaVersion};
`

const pragma = (db: DatabaseSync, name: string) =>
  Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])

/** Creates the tables in an empty file. Throws when the file is something else or from a newer release. */
export const prepare = (db: DatabaseSync): void => {
  if (pragma(db, "schema_version") === 0) db.exec(`BEGIN IMMEDIATE; ${tables} COMMIT`)
  check(db)
}

/** Throws unless the file is an event log of this release. */
export const check = (db: DatabaseSync): void => {
  if (pragma(db, "application_id") !== applicationId) throw new Error("The file is not an inferlog event log")
  const found = pragma(db, "user_version")
  if (found !== schemaVersion) {
    throw new Error(`The log has format ${found}; this release reads format ${schemaVersion}`)
  }
}
