/** `DELETE /requests/{id}/payloads`: erases input, output and files of a request that has ended. */
import { Effect } from "effect"
import { Requests } from "#src/features/requests/Requests.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as RequestIdParam from "./RequestIdParam.ts"
import type { RetrieveCall } from "./Retrieve.ts"

export const make = Effect.gen(function* () {
  const requests = yield* Requests

  return Effect.fnUntraced(function* ({ caller, params }: RetrieveCall) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    yield* requests.erasePayloads({ caller, id })
    return Answer.empty(204, { "cache-control": "no-store" })
  })
})
