/** `oauth.sqlite`: the sign-ins of assistants, not on the log. After a loss users sign in again. */
import * as path from "node:path"
import { Context, Effect, Layer, Predicate, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { rows } from "#projections/ReadModels.ts"
import { DataDirectory } from "#src/kernel/disk/DataDirectory.ts"
import * as SqliteClient from "#streams/SqliteClient.ts"

/** No other process writes to the file. A write would block the process while it waits, so it fails early instead. */
const busyTimeoutMs = 25

/** Of all tables in the file. A file with another version is not migrated: its contents are not worth it. */
const schemaVersion = 1

/** The server does not start with this file: the operator decides what to do with it. */
export class OAuthDatabaseUnusable extends Schema.TaggedError<OAuthDatabaseUnusable>()(
  "OAuthDatabaseUnusable",
  { file: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `${this.file} ${this.reason}`
  }
}

const remedy = "It holds sign-ins only: move it away, and assistants sign in anew"

export class OAuthDatabase extends Context.Service<OAuthDatabase, SqlClient.SqlClient>()(
  "inferlog/src/edges/oauth/OAuthDatabase"
) {
  /** A commit is synced before it returns, because a used code must stay used. */
  static readonly layerAt = (filename: string) =>
    Layer.effect(OAuthDatabase, open(filename)).pipe(Layer.provide(Reactivity.layer))

  static readonly layer = Layer.unwrap(
    Effect.map(DataDirectory, (directory) => OAuthDatabase.layerAt(path.join(directory, "oauth.sqlite")))
  )
}

const open = Effect.fnUntraced(
  function* (filename: string) {
    const sql = yield* SqliteClient.make({ filename, synchronous: "FULL", busyTimeoutMs })
    const found = yield* versionOf(sql)
    if (found === null) yield* sql`PRAGMA user_version = ${sql.literal(String(schemaVersion))}`
    else if (found !== schemaVersion) {
      const reason = `is of version ${found}, and this release has version ${schemaVersion}. ${remedy}`
      return yield* new OAuthDatabaseUnusable({ file: filename, reason })
    }
    return sql
  },
  (opened, filename) =>
    Effect.catchTag(
      opened,
      "SqlError",
      (error) => new OAuthDatabaseUnusable({ file: filename, reason: reasonOf(error) })
    )
)

const versions = rows(Schema.Struct({ version: Schema.Int, tables: Schema.Int }))

/** `null` for a new file. */
const versionOf = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [found] = yield* versions(
    sql`SELECT user_version AS version, (SELECT count(*) FROM sqlite_schema) AS tables FROM pragma_user_version`
  )
  return found === undefined || (found.version === 0 && found.tables === 0) ? null : found.version
})

/** SQLite's result codes for damaged files and for files of another format. */
const unreadable: ReadonlyArray<unknown> = [11, 26]

const reasonOf = ({ reason }: SqlError): string => {
  const { cause } = reason
  const code = Predicate.hasProperty(cause, "errcode") ? Number(cause.errcode) & 0xff : undefined
  if (unreadable.includes(code)) return `cannot be read. ${remedy}`
  if (reason._tag === "LockTimeoutError") return "is locked by another process"
  return `cannot be opened: ${cause instanceof Error ? cause.message : reason.message}`
}
