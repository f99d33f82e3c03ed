/** `GET /storage/upload/parts`: the parts that have arrived, so that an interrupted client can go on. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as UploadRoute from "./UploadRoute.ts"

const endpoint = HttpApiEndpoint.get("listParts", "/storage/upload/parts", {
  query: UploadRoute.query,
  success: UploadView.UploadingBody,
  error: UploadRoute.errorsOfOneUpload
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "The parts that have arrived",
      description: "An interrupted client uploads the missing ones.",
      transform: ListParameters.withForms(UploadRoute.forms)
    })
  )

export const listParts = Route.make(endpoint, Uploads, function* (uploads, { query }, caller) {
  const { uploadId, uploadKey } = query
  const uploading = yield* UploadRoute.asUpload(uploads.uploading({ caller, uploadKey, uploadId }))
  return Answer.json(200, UploadView.uploading(uploading))
})
