/** `workerKeyOperations` in the process that holds the log. */
import { Effect, Redacted } from "effect"
import { Keys } from "#projections/keys/Keys.ts"
import { Projections } from "#projections/Projections.ts"
import * as ApiKey from "#src/features/accounts/ApiKey.ts"
import { WorkerKeys } from "#src/features/providers/workers/WorkerKeys.ts"
import { EventReader } from "#streams/EventReader.ts"
import { failed } from "../AdministrationFailed.ts"
import type { Operations } from "../Operations.ts"
import type { IssuedWorkerKey, workerKeyOperations } from "./WorkerKeyOperations.ts"

/** Keys per page. */
const pageSize = 1_000

const issued = (key: ApiKey.ApiKey): typeof IssuedWorkerKey.Type => ({
  keyId: key.keyId,
  key: Redacted.make(ApiKey.format(key))
})

export const make = Effect.gen(function* () {
  const workerKeys = yield* WorkerKeys
  const keys = yield* Keys
  const projections = yield* Projections
  const reader = yield* EventReader

  const operations: Operations<typeof workerKeyOperations> = {
    issueWorkerKey: (options) =>
      workerKeys.issue(options).pipe(Effect.map(issued), Effect.catchTag("EventStoreError", failed)),
    rotateWorkerKey: Effect.fnUntraced(
      function* (options) {
        const { key, previousExpiresAt } = yield* workerKeys.rotate(options)
        return { ...issued(key), previousExpiresAt }
      },
      Effect.catchTag("EventStoreError", failed)
    ),
    revokeWorkerKey: ({ keyId }) => workerKeys.revoke(keyId).pipe(Effect.catchTag("EventStoreError", failed)),
    listWorkerKeys: Effect.fnUntraced(
      function* ({ after }) {
        yield* projections.waitFor(yield* reader.head, { projection: "keys" })
        return yield* keys.workers({ after, limit: pageSize })
      },
      Effect.catchTag(["EventStoreError", "SqlError"], failed)
    )
  }
  return operations
})
