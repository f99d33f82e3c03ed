/** `GET /files/{id}`: one file of the account. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as FileView from "#src/features/files/views/FileView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as FileRoute from "./FileRoute.ts"

const endpoint = HttpApiEndpoint.get("getFileRecord", "/files/:fileId", {
  params: FileRoute.params,
  success: FileView.FileBody,
  error: [...CommonResponses.usual, CommonResponses.notFound, CommonResponses.gone]
})
  .annotate(Requires, "files:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "One file",
      description: "The record of a file. Its bytes are at its `url`."
    })
  )

export const getFile = Route.make(endpoint, AssetLibrary, function* (library, { params }, caller) {
  return Answer.json(200, FileView.record(yield* library.get({ caller, id: params.fileId })))
})
