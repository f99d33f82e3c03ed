/** `keyOperations` and `workerKeyOperations` on the log. */
import { Effect, Redacted } from "effect"
import type { AccountId } from "#domain/Ids.ts"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import { Accounts } from "#src/features/accounts/Accounts.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { KeyUse } from "#src/features/accounts/KeyUse.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { EventReader } from "#streams/EventReader.ts"
import * as Pages from "../Pages.ts"
import type { LocalOperations } from "../Operations.ts"
import type { keyOperations, workerKeyOperations } from "./KeyOperations.ts"

const issuedToWorker = (key: ApiKey.ApiKey) => ({
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

const issued = (accountId: AccountId, key: ApiKey.ApiKey) => ({ accountId, ...issuedToWorker(key) })

export const make = Effect.gen(function* () {
  const accounts = yield* Accounts
  const workerKeys = yield* WorkerKeys
  const keys = yield* Keys
  const { withUse } = yield* KeyUse
  const projections = yield* Projections
  const reader = yield* EventReader

  /** Waits until the list of keys includes everything on the log. */
  const upToDate = Effect.flatMap(reader.head, (head) => projections.waitFor(head, { projection: "keys" }))

  const operations: LocalOperations<typeof keyOperations | typeof workerKeyOperations> = {
    openAccount: Effect.fnUntraced(function* ({ name, balance }) {
      const key = ApiKey.makeForNewAccount()
      const { accountId } = yield* accounts.open({ name, key, balance })
      return issued(accountId, key)
    }),
    issueKey: (options) => Effect.map(accounts.issueKey(options), (key) => issued(options.accountId, key)),
    rotateKey: (options) =>
      Effect.map(accounts.rotateKey(options), ({ accountId, key, previousExpiresAt }) => ({
        ...issued(accountId, key),
        previousExpiresAt
      })),
    revokeKey: ({ keyId }) => accounts.revokeKey(keyId),
    listKeys: Effect.fnUntraced(function* (options) {
      yield* upToDate
      const page = yield* Pages.read(
        options.limit,
        (limit) => keys.list({ ...options, limit }),
        ({ keyId }) => keyId
      )
      return { ...page, data: page.data.map(withUse) }
    }),
    issueWorkerKey: (options) => Effect.map(workerKeys.issue(options), issuedToWorker),
    rotateWorkerKey: (options) =>
      Effect.map(workerKeys.rotate(options), ({ key, previousExpiresAt }) => ({
        ...issuedToWorker(key),
        previousExpiresAt
      })),
    revokeWorkerKey: ({ keyId }) => workerKeys.revoke(keyId),
    listWorkerKeys: ({ after, limit }) =>
      Effect.andThen(
        upToDate,
        Pages.read(
          limit,
          (limit) => keys.workers({ after, limit }),
          ({ keyId }) => keyId
        )
      )
  }
  return operations
})
