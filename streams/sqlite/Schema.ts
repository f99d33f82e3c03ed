/**
 * The tables of `log.sqlite`. Rows of payloads are never deleted: the row of an erased payload stays, without text and blob
 * (see `Transaction`). Rows of events are deleted only when the events have been archived (`archive/Tables`).
 */
import type { DatabaseSync } from "node:sqlite"

/** `PRAGMA application_id`: "ilog". */
const applicationId = 0x696c6f67
const schemaVersion = 1
/** The format of a log that has archived events. Releases without archives refuse it. */
const archivedVersion = 2

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

/** Rows are deleted only in the commit that adds the frame, so that readers find each event in one of the two. */
const archiveTables = `
  CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    digest TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    location TEXT NOT NULL,
    frames INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE frames (
    id INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    "offset" INTEGER NOT NULL,
    length INTEGER NOT NULL,
    digest TEXT NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    events INTEGER NOT NULL,
    UNIQUE (segment, "offset")
  ) STRICT;
  CREATE INDEX frames_by_first ON frames (first);
  CREATE TABLE archived (
    stream TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL,
    hash TEXT NOT NULL,
    frames TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${archivedVersion};
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
  if (found < schemaVersion || found > archivedVersion) {
    throw new Error(
      `The log has format ${found}; this release reads formats ${schemaVersion} to ${archivedVersion}`
    )
  }
}

/** Whether the log has the tables of an archive. */
export const hasArchive = (db: DatabaseSync): (() => boolean) => {
  const version = db.prepare("PRAGMA user_version")
  let isFound = false
  return () => (isFound ||= version.get()?.["user_version"] === archivedVersion)
}

/** Adds the tables of an archive to a log that has none. */
export const addArchive = (db: DatabaseSync): void => {
  if (pragma(db, "user_version") !== archivedVersion) db.exec(`BEGIN IMMEDIATE; ${archiveTables} COMMIT`)
}
