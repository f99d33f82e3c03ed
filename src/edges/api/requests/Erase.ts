/** `DELETE /requests/{id}/payloads`: erases input, output and files of a request that has ended. */
import { Effect } from "effect"
import * as Answer from "#src/edges/http/Answer.ts"
import * as PayloadErasing from "#src/features/retention/PayloadErasing.ts"
import * as RequestIdParam from "./RequestIdParam.ts"
import type { RetrieveCall } from "./Retrieve.ts"

export const make = Effect.gen(function* () {
  const erase = yield* PayloadErasing.make

  return Effect.fnUntraced(function* ({ caller, params }: RetrieveCall) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    yield* erase({ caller, id })
    return Answer.empty(204, { "cache-control": "no-store" })
  })
})
