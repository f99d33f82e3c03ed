/**
 * `oauth.sqlite`: who has signed in with which assistant. It is beside the log and no part of it: what is in it expires, and
 * whoever loses it signs in again. Each table belongs to one module, which makes it when its layer is built.
 */
import * as path from "node:path"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DataDirectory } from "#src/DataDirectory.ts"
import * as SqliteClient from "#streams/SqliteClient.ts"

export class OAuthDatabase extends Context.Service<OAuthDatabase, SqlClient.SqlClient>()(
  "inferlog/src/oauth/OAuthDatabase"
) {
  /** A commit is on disk when it returns: a code that was used once must stay used. */
  static readonly layerAt = (filename: string) =>
    Layer.effect(OAuthDatabase, SqlClient.SqlClient).pipe(
      Layer.provide(SqliteClient.layer({ filename, synchronous: "FULL" }))
    )

  static readonly layer = Layer.unwrap(
    Effect.map(DataDirectory, (directory) => OAuthDatabase.layerAt(path.join(directory, "oauth.sqlite")))
  )
}
