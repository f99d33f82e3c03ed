/** `DELETE /files/{id}`: deletes a file. Its URL answers 410 from then on. Repeated, it answers 204 again. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { AssetLibrary } from "#src/features/files/AssetLibrary.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as FileRoute from "./FileRoute.ts"

const endpoint = HttpApiEndpoint.delete("deleteFile", "/files/:fileId", {
  params: FileRoute.params,
  success: HttpApiSchema.NoContent.annotate({
    description: "The file is deleted, now or earlier."
  }),
  error: [...CommonResponses.usual, CommonResponses.notFound]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Delete a file",
      description: "The file and its thumbnail cannot be read from then on: the URL answers 410."
    })
  )

export const deleteFile = Route.make(endpoint, AssetLibrary, function* (library, { params }, caller) {
  yield* library.remove({ caller, id: params.fileId })
  return Answer.empty(204, { "cache-control": "no-store" })
})
