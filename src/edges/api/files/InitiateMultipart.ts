/** `POST /storage/upload/initiate-multipart`: begins an upload in parts. */
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

const endpoint = HttpApiEndpoint.post("initiateMultipartUpload", "/storage/upload/initiate-multipart", {
  payload: AnnouncedUpload.body.schema,
  success: UploadView.MultipartBody,
  error: [...UploadRoute.errors, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      summary: "Upload a file in parts",
      description:
        "At most 10,000 parts of at most 5 GiB, each but the last of at least 5 MiB, in any order and in parallel. Parts are stored for seven days."
    })
  )

export const initiateMultipart = Route.make(endpoint, Uploads, function* (uploads, { request }, caller) {
  const announced = AnnouncedUpload.announced(yield* RequestBody.read(AnnouncedUpload.body, request))
  const { fileUrl, uploadId, uploadKey } = yield* uploads.initiateMultipart({ caller, ...announced })
  return Answer.json(200, { fileUrl, uploadId, uploadKey })
})
