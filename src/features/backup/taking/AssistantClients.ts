/**
 * Copies the registrations of assistants from `oauth.sqlite`, so that they need not register again after a restore. Sign-ins,
 * codes and tokens are left out: in an older copy, a token that was used or revoked since would be valid again. Secrets of
 * clients are stored as hashes only (`edges/oauth/Registrations`).
 */
import * as fs from "node:fs"
import * as path from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { Clock, Effect } from "effect"
import { BlobStoreError } from "#streams/BlobStore.ts"
import * as Database from "#streams/sqlite/Database.ts"
import * as OnlineBackup from "#streams/sqlite/OnlineBackup.ts"
import type * as Manifest from "../format/Manifest.ts"
import * as SqliteFiles from "../format/SqliteFiles.ts"
import type { BackupTarget } from "../target/BackupTarget.ts"

interface Options {
  readonly target: BackupTarget
  /** The data directory of this node. */
  readonly dataDirectory: string
  readonly id: string
}

/** How old the copy may be when only expiries have changed, ms. */
const longest = 60 * 60 * 1_000

const failure = (cause: unknown) =>
  new BlobStoreError({ reason: "oauth.sqlite, the registrations of assistants, cannot be copied", cause })

const attempt = <A>(run: () => A): Effect.Effect<A, BlobStoreError> =>
  Effect.try({ try: run, catch: failure })

const using = <A>(filename: string, readOnly: boolean, use: (db: DatabaseSync) => A) =>
  attempt(() => {
    const db = Database.open({ filename, readOnly, synchronous: "NORMAL" })
    try {
      return use(db)
    } finally {
      db.close()
    }
  })

const hasClients = (db: DatabaseSync): boolean =>
  db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'oauth_records'").get() !== undefined

/** By an index alone, because followers ask every second. */
const count = (db: DatabaseSync): number =>
  hasClients(db)
    ? Number(
        db.prepare("SELECT count(*) AS clients FROM oauth_records WHERE model = 'Client'").get()?.["clients"]
      )
    : 0

/** The file is written anew, so that nothing of what is removed stays in it. */
const keepClients = (db: DatabaseSync) => {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()
  db.exec("PRAGMA journal_mode = DELETE")
  for (const { name } of tables) {
    if (name === "oauth_records") db.exec("DELETE FROM oauth_records WHERE model <> 'Client'")
    else db.exec(`DELETE FROM "${String(name)}"`)
  }
  db.exec("VACUUM")
}

/** The copy of before, or a new one when clients were added or it is old. */
export const put = Effect.fn("AssistantClients.put")(function* (
  { dataDirectory, id, target: { pieces, scratch } }: Options,
  before: Manifest.Manifest["oauth"]
) {
  const source = path.join(dataDirectory, "oauth.sqlite")
  if (!fs.existsSync(source)) return { oauth: before, isNew: false }
  const clients = yield* using(source, true, count)
  const now = yield* Clock.currentTimeMillis
  const isCurrent =
    before === null ? clients === 0 : before.clients === clients && now - (before.copiedAt ?? 0) < longest
  if (isCurrent) return { oauth: before, isNew: false }
  const copy = path.join(scratch, "oauth.sqlite")
  yield* attempt(() => fs.rmSync(copy, { force: true }))
  yield* OnlineBackup.make({ source, target: copy, read: () => undefined, failure })
  yield* using(copy, false, keepClients)
  const file = yield* SqliteFiles.put(pieces, `oauth/${id}`, copy)
  yield* attempt(() => fs.rmSync(copy, { force: true }))
  return { oauth: { ...file, clients, copiedAt: now }, isNew: true }
})
