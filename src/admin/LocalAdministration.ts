/** `Administration` in the process that holds the log. */
import { Effect, Layer, Redacted } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/accounts/Accounts.ts"
import * as ApiKey from "#src/accounts/ApiKey.ts"
import { EventReader } from "#streams/EventReader.ts"
import { Administration, AdministrationFailed, type IssuedKey } from "./Administration.ts"

/** Keys that a page lists at most. */
const pageSize = 1_000

const issued = (accountId: AccountId, key: ApiKey.ApiKey): IssuedKey => ({
  accountId,
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

export const layerNoDeps = Layer.effect(
  Administration,
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const keys = yield* Keys
    const projections = yield* Projections
    const reader = yield* EventReader

    const openAccount: Administration["Service"]["openAccount"] = Effect.fn("Administration.openAccount")(
      function* ({ name, balance }) {
        const key = ApiKey.makeForNewAccount()
        const { accountId } = yield* accounts.open({ name, key, balance })
        return issued(accountId, key)
      },
      Effect.catchTag("EventStoreError", failed)
    )

    const issueKey: Administration["Service"]["issueKey"] = Effect.fn("Administration.issueKey")(
      function* (options) {
        return issued(options.accountId, yield* accounts.issueKey(options))
      },
      Effect.catchTag("EventStoreError", failed)
    )

    const revokeKey: Administration["Service"]["revokeKey"] = Effect.fn("Administration.revokeKey")(
      ({ keyId }) => accounts.revokeKey(keyId),
      Effect.catchTag("EventStoreError", failed)
    )

    const listKeys: Administration["Service"]["listKeys"] = Effect.fn("Administration.listKeys")(
      function* (options) {
        yield* projections.waitFor(yield* reader.head, { projection: "keys" })
        return yield* keys.list({ ...options, limit: pageSize })
      },
      Effect.catchTag(["EventStoreError", "SqlError"], failed)
    )

    return Administration.of({ openAccount, issueKey, revokeKey, listKeys })
  })
)

export const layer = layerNoDeps.pipe(Layer.provide(Keys.layer))
