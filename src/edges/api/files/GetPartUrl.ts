/** `GET /storage/upload/multipart-url`: a URL to PUT one part to. */
import { Result } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import { maxParts } from "#src/features/media/storage/FileLimits.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as UploadRoute from "./UploadRoute.ts"

const endpoint = HttpApiEndpoint.get("getPartUrl", "/storage/upload/multipart-url", {
  query: {
    ...UploadRoute.query,
    partNumber: ListParameters.required("From 1, without gaps.", {
      type: "integer",
      minimum: 1,
      maximum: maxParts
    })
  },
  success: UploadView.PartUrlBody,
  error: UploadRoute.errorsOfOneUpload
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "A URL for a part")
  .annotate(OpenApi.Description, "A part that is uploaded again replaces the earlier one.")

export const parsePartNumber = (text: string): Parsed<number> => {
  const number = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN
  return number <= maxParts
    ? Result.succeed(number)
    : invalid(issue(["partNumber"], "range", `must be a whole number from 1 to ${maxParts}`))
}

export const partUrl = Route.make(endpoint, Uploads, function* (uploads, { query }, caller) {
  const { uploadId, uploadKey } = query
  const partNumber = yield* ErrorAnswer.orInvalid(parsePartNumber(query.partNumber))
  const presignedUrl = yield* UploadRoute.asUpload(
    uploads.partUrl({ caller, uploadKey, uploadId, partNumber })
  )
  return Answer.json(200, { presignedUrl })
})
