/** How clients upload files (contract, "Uploads"). The bytes go to the URLs that these routes give out. */
import { HttpApiGroup, OpenApi, HttpApiEndpoint } from "effect/http-api"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn, Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import { completeUpload } from "./CompleteUpload.ts"
import { partUrl } from "./GetPartUrl.ts"
import * as UploadRoute from "./UploadRoute.ts"
import * as AnnouncedUpload from "./AnnouncedUpload.ts"

/** `POST /storage/upload/initiate`: a URL to PUT a whole file to. */
const initiateUploadEndpoint = HttpApiEndpoint.post("initiateUpload", "/storage/upload/initiate", {
  payload: AnnouncedUpload.body.schema,
  success: UploadView.InitiatedBody,
  error: [...UploadRoute.errors, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Upload a file in one piece")
  .annotate(
    OpenApi.Description,
    "At most 5 GiB. The URL of the file answers 404 until the bytes have arrived."
  )

const initiateUpload = Route.make(initiateUploadEndpoint, Uploads, function* (uploads, { request }, caller) {
  const announced = AnnouncedUpload.announced(yield* RequestBody.read(AnnouncedUpload.body, request))
  const { fileUrl, uploadUrl } = yield* uploads.initiate({ caller, ...announced })
  return Answer.json(200, { upload_url: uploadUrl, file_url: fileUrl })
})

/** `POST /storage/upload/initiate-multipart`: begins an upload in parts. */
const initiateMultipartEndpoint = HttpApiEndpoint.post(
  "initiateMultipartUpload",
  "/storage/upload/initiate-multipart",
  {
    payload: AnnouncedUpload.body.schema,
    success: UploadView.MultipartBody,
    error: [...UploadRoute.errors, ...CommonResponses.ofBodies]
  }
)
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Upload a file in parts")
  .annotate(
    OpenApi.Description,
    "At most 10,000 parts of at most 5 GiB, each but the last of at least 5 MiB, in any order and in parallel. Parts are stored for seven days."
  )

const initiateMultipart = Route.make(
  initiateMultipartEndpoint,
  Uploads,
  function* (uploads, { request }, caller) {
    const announced = AnnouncedUpload.announced(yield* RequestBody.read(AnnouncedUpload.body, request))
    const { fileUrl, uploadId, uploadKey } = yield* uploads.initiateMultipart({ caller, ...announced })
    return Answer.json(200, { fileUrl, uploadId, uploadKey })
  }
)

/** `GET /storage/upload/parts`: the parts that have arrived, so that an interrupted client can go on. */
const listPartsEndpoint = HttpApiEndpoint.get("listParts", "/storage/upload/parts", {
  query: UploadRoute.query,
  success: UploadView.UploadingBody,
  error: UploadRoute.errorsOfOneUpload
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "The parts that have arrived")
  .annotate(OpenApi.Description, "An interrupted client uploads the missing ones.")

const listParts = Route.make(listPartsEndpoint, Uploads, function* (uploads, { query }, caller) {
  const { uploadId, uploadKey } = query
  const uploading = yield* UploadRoute.asUpload(uploads.uploading({ caller, uploadKey, uploadId }))
  return Answer.json(200, UploadView.uploading(uploading))
})

const routes = [initiateUpload, initiateMultipart, partUrl, listParts, completeUpload] as const

export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(...Route.endpointsOf(routes))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Uploads")
  .annotate(OpenApi.Description, "Uploading files, in one piece or in parts.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
