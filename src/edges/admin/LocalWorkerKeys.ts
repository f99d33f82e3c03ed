/** `Operations` in the process that holds the log. */
import { Effect, Redacted } from "effect"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { EventReader } from "#streams/EventReader.ts"
import { AdministrationFailed } from "./AdministrationFailed.ts"
import type { IssuedWorkerKey } from "./WorkerKeyOperations.ts"
import type { Administration } from "./Administration.ts"

type Operations = Administration["Service"]

/** Keys that a page lists at most. */
const pageSize = 1_000

const issued = (key: ApiKey.ApiKey): IssuedWorkerKey => ({
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

export const make = Effect.gen(function* () {
  const workerKeys = yield* WorkerKeys
  const keys = yield* Keys
  const projections = yield* Projections
  const reader = yield* EventReader

  const issueWorkerKey: Operations["issueWorkerKey"] = Effect.fn("Administration.issueWorkerKey")(
    (options) => Effect.map(workerKeys.issue(options), issued),
    Effect.catchTag("EventStoreError", failed)
  )

  const rotateWorkerKey: Operations["rotateWorkerKey"] = Effect.fn("Administration.rotateWorkerKey")(
    function* (options) {
      const { key, previousExpiresAt } = yield* workerKeys.rotate(options)
      return { ...issued(key), previousExpiresAt }
    },
    Effect.catchTag("EventStoreError", failed)
  )

  const revokeWorkerKey: Operations["revokeWorkerKey"] = Effect.fn("Administration.revokeWorkerKey")(
    ({ keyId }) => workerKeys.revoke(keyId),
    Effect.catchTag("EventStoreError", failed)
  )

  const listWorkerKeys: Operations["listWorkerKeys"] = Effect.fn("Administration.listWorkerKeys")(
    function* ({ after }) {
      yield* projections.waitFor(yield* reader.head, { projection: "keys" })
      return yield* keys.workers({ after, limit: pageSize })
    },
    Effect.catchTag(["EventStoreError", "SqlError"], failed)
  )

  return { issueWorkerKey, rotateWorkerKey, revokeWorkerKey, listWorkerKeys }
})
