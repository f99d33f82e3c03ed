/** `requestOperations` in the process that holds the log. */
import { Effect } from "effect"
import { failed } from "../AdministrationFailed.ts"
import type { Operations } from "../Operations.ts"
import * as RequestFacts from "./RequestFacts.ts"
import * as RequestList from "./RequestList.ts"
import type { requestOperations } from "./RequestOperations.ts"

export const make = Effect.gen(function* () {
  const list = yield* RequestList.make
  const show = yield* RequestFacts.make

  const operations: Operations<typeof requestOperations> = {
    listRequests: (options) => list(options).pipe(Effect.catchTag(["EventStoreError", "SqlError"], failed)),
    showRequest: (options) =>
      show(options).pipe(Effect.catchTag(["EventStoreError", "BlobStoreError"], failed))
  }
  return operations
})
