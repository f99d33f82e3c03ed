/** `Operations` in the process that holds the log. */
import { Effect } from "effect"
import { AccountErasing, TakesRequests } from "#src/features/retention/AccountErasing.ts"
import { AdministrationFailed } from "../AdministrationFailed.ts"
import type { Administration } from "../Administration.ts"

type Operations = Administration["Service"]

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

export const make = Effect.gen(function* () {
  const erasing = yield* AccountErasing
  const goesOn = yield* TakesRequests

  const eraseAccount: Operations["eraseAccount"] = Effect.fn("Administration.eraseAccount")(
    function* ({ accountId, round }) {
      yield* erasing.close(accountId)
      return { round: yield* erasing.step(accountId, round), goesOn }
    },
    Effect.catchTag(["EventStoreError", "SqlError", "ReadModelBehind"], failed)
  )

  return { eraseAccount }
})
