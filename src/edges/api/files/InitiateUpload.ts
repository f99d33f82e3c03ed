/** `POST /storage/upload/initiate`: a URL to PUT a whole file to. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as AnnouncedUpload from "./AnnouncedUpload.ts"
import * as UploadRoute from "./UploadRoute.ts"

const endpoint = HttpApiEndpoint.post("initiateUpload", "/storage/upload/initiate", {
  payload: AnnouncedUpload.body.schema,
  success: UploadView.InitiatedBody,
  error: [...UploadRoute.errors, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Upload a file in one piece",
      description: "At most 5 GiB. The URL of the file answers 404 until the bytes have arrived."
    })
  )

export const initiateUpload = Route.make(endpoint, Uploads, function* (uploads, { request }, caller) {
  const announced = AnnouncedUpload.announced(yield* RequestBody.read(AnnouncedUpload.body, request))
  const { fileUrl, uploadUrl } = yield* uploads.initiate({ caller, ...announced })
  return Answer.json(200, { upload_url: uploadUrl, file_url: fileUrl })
})
