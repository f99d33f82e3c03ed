/** `Operations` in the process that holds the log. */
import { Effect } from "effect"
import { AdministrationFailed } from "../AdministrationFailed.ts"
import * as RequestFacts from "./RequestFacts.ts"
import * as RequestList from "./RequestList.ts"
import type { Administration } from "../Administration.ts"

type Operations = Administration["Service"]

const failed = (error: { readonly message: string }) => new AdministrationFailed({ reason: error.message })

export const make = Effect.gen(function* () {
  const list = yield* RequestList.make
  const show = yield* RequestFacts.make

  const listRequests: Operations["listRequests"] = Effect.fn("Administration.listRequests")(
    list,
    Effect.catchTag(["EventStoreError", "SqlError"], failed)
  )
  const showRequest: Operations["showRequest"] = Effect.fn("Administration.showRequest")(
    show,
    Effect.catchTag(["EventStoreError", "BlobStoreError"], failed)
  )
  return { listRequests, showRequest }
})
