/** `keyOperations` in the process that holds the log. */
import { Effect, Redacted } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { KeyUse } from "#src/features/accounts/KeyUse.ts"
import { EventReader } from "#streams/EventReader.ts"
import type { IssuedKey, keyOperations } from "./KeyOperations.ts"
import { failed } from "../AdministrationFailed.ts"
import type { Operations } from "../Operations.ts"

/** Keys per page. */
const pageSize = 1_000

const issued = (accountId: AccountId, key: ApiKey.ApiKey): typeof IssuedKey.Type => ({
  accountId,
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const keys = yield* Keys
  const { withUse } = yield* KeyUse
  const projections = yield* Projections
  const reader = yield* EventReader

  const operations: Operations<typeof keyOperations> = {
    openAccount: Effect.fnUntraced(
      function* ({ name, balance }) {
        const key = ApiKey.makeForNewAccount()
        const { accountId } = yield* accounts.open({ name, key, balance })
        return issued(accountId, key)
      },
      Effect.catchTag("EventStoreError", failed)
    ),
    issueKey: Effect.fnUntraced(
      function* (options) {
        return issued(options.accountId, yield* accounts.issueKey(options))
      },
      Effect.catchTag("EventStoreError", failed)
    ),
    rotateKey: Effect.fnUntraced(
      function* (options) {
        const { accountId, key, previousExpiresAt } = yield* accounts.rotateKey(options)
        return { ...issued(accountId, key), previousExpiresAt }
      },
      Effect.catchTag("EventStoreError", failed)
    ),
    revokeKey: ({ keyId }) => accounts.revokeKey(keyId).pipe(Effect.catchTag("EventStoreError", failed)),
    listKeys: Effect.fnUntraced(
      function* (options) {
        yield* projections.waitFor(yield* reader.head, { projection: "keys" })
        return (yield* keys.list({ ...options, limit: pageSize })).map(withUse)
      },
      Effect.catchTag(["EventStoreError", "SqlError"], failed)
    )
  }
  return operations
})
