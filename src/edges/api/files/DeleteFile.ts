/** `DELETE /files/{id}`: 204, also repeated; its URL is 410 from then on. */
import { Effect } from "effect"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import type { FileCall } from "./FileCall.ts"

export const make = Effect.gen(function* () {
  const library = yield* AssetLibrary

  return Effect.fnUntraced(function* ({ caller, params }: FileCall) {
    yield* library.remove({ caller, id: params.fileId })
    return Answer.empty(204, { "cache-control": "no-store" })
  })
})
