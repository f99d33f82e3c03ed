/** `erasingOperations` in the process that holds the log. */
import { Effect } from "effect"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { failed } from "../AdministrationFailed.ts"
import type { Operations } from "../Operations.ts"
import type { erasingOperations } from "./ErasingOperations.ts"

export const make = Effect.gen(function* () {
  const erasing = yield* AccountErasing
  const goesOn = yield* TakesRequests

  const operations: Operations<typeof erasingOperations> = {
    eraseAccount: Effect.fnUntraced(
      function* ({ accountId, round }) {
        yield* erasing.close(accountId)
        return { round: yield* erasing.step(accountId, round), goesOn }
      },
      Effect.catchTag(["EventStoreError", "SqlError", "ReadModelBehind"], failed)
    )
  }
  return operations
})
