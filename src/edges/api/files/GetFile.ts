/** `GET /files/{id}`: one file of the account. */
import { Effect } from "effect"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import type { FileCall } from "./FileCall.ts"

export const make = Effect.gen(function* () {
  const library = yield* AssetLibrary

  return Effect.fnUntraced(function* ({ caller, params }: FileCall) {
    return Answer.json(200, FileView.record(yield* library.get({ caller, id: params.fileId })))
  })
})
