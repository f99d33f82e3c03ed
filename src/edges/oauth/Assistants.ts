/** The assistants that are signed in to an account, for the account itself. */
import { Context, Effect, Layer, Schema } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { rows } from "#projections/ReadModels.ts"
import { Logins } from "./Logins.ts"
import { OAuthDatabase } from "./OAuthDatabase.ts"
import { Records } from "./Records.ts"

const Row = Schema.Struct({
  id: Schema.String,
  keyId: Schema.String,
  ownsKey: Schema.BooleanFromBit,
  clientId: Schema.String,
  createdAt: Schema.Int
})
const decoded = rows(Row)

interface Assistant extends Omit<typeof Row.Type, "clientId" | "createdAt"> {
  /** As the client has registered; `null` without one, or without a registration. */
  readonly clientName: string | null
  /** Unix time in ms. */
  readonly signedInAt: number
}

/** An account has a few; the rest is not shown. */
const most = 200

const make = Effect.gen(function* () {
  const sql = yield* OAuthDatabase
  const logins = yield* Logins
  const records = yield* Records

  const nameOf = Effect.fnUntraced(function* (clientId: string) {
    const name = (yield* records.find({ model: "Client", id: clientId }))?.payload["client_name"]
    return typeof name === "string" ? name : null
  })

  /** The sign-ins of the account that are still in force, newest first. */
  const list = Effect.fn("Assistants.list")(function* (accountId: AccountId) {
    const found = yield* decoded(sql`
      SELECT id, key_id AS "keyId", owns_key AS "ownsKey", client_id AS "clientId", created_at AS "createdAt"
      FROM logins WHERE account_id = ${accountId} ORDER BY created_at DESC, id LIMIT ${most}`)
    const inForce = yield* Effect.filter(found, ({ id }) =>
      Effect.map(logins.caller(id), (caller) => caller !== null)
    )
    return yield* Effect.forEach(inForce, ({ clientId, createdAt, ...login }) =>
      Effect.map(nameOf(clientId), (clientName): Assistant => ({
        ...login,
        clientName,
        signedInAt: createdAt
      }))
    )
  })

  /** Ends a sign-in of the account, and revokes the key that was issued for it. False if it has none with that id. */
  const end = Effect.fn("Assistants.end")(function* (accountId: AccountId, id: string) {
    const found = yield* sql`SELECT 1 FROM logins WHERE id = ${id} AND account_id = ${accountId}`
    if (found.length === 0) return false
    yield* Effect.andThen(logins.end(id), records.removeOfLogin(id))
    return true
  })

  return { list, end }
})

export class Assistants extends Context.Service<Assistants, Effect.Success<typeof make>>()(
  "inferlog/src/edges/oauth/Assistants"
) {
  static readonly layer = Layer.effect(Assistants, make)
}
