/** How clients bring files (contract, "Uploads"). The bytes go to the URLs that are given out here. */
import { type JsonSchema, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as FileLimits from "#src/features/media/storage/FileLimits.ts"
import { MediaType } from "#src/features/media/MediaType.ts"
import { longestId, longestWrittenEtag } from "./CompleteBody.ts"
import { longestName, longestType } from "./UploadBody.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable,
  CommonResponses.storageFull
] as const

const ofBodies = [CommonResponses.timeout, CommonResponses.tooLarge, CommonResponses.unsupported] as const

const ofOneUpload = [
  ...everywhere,
  CommonResponses.notFound,
  CommonResponses.conflict,
  CommonResponses.gone
] as const

/** Characters of `a/b`. */
const shortestType = 3

const AnnouncedBody = Schema.Struct({
  file_name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestName)).annotate({
    description: "Kept as the last segment of the file's URL, without what is no part of a name."
  }),
  content_type: MediaType.check(Schema.isMinLength(shortestType), Schema.isMaxLength(longestType)).annotate({
    description: "A media type. What is put has to have the same `Content-Type`."
  }),
  size: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))).annotate({
      description: `Bytes; null is as none. Where it is given, other sizes are refused. At most ${FileLimits.maxPutBytes} for a file in one piece, ${FileLimits.maxFileBytes} for one in parts, and what the account has room for.`
    })
  )
}).annotate({
  identifier: "UploadBody",
  description: "What is going to be brought. Other fields are ignored.",
  examples: [
    { file_name: "cat.png", content_type: "image/png" },
    { file_name: "cat.png", content_type: "image/png", size: 1024 }
  ]
})

const initiate = HttpApiEndpoint.post("initiateUpload", "/storage/upload/initiate", {
  payload: AnnouncedBody,
  success: UploadView.InitiatedBody,
  error: [...everywhere, ...ofBodies]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "initiateUpload",
      summary: "Bring a file in one piece",
      description: "At most 5 GiB. The file is announced: its URL answers 404 until the bytes have come."
    })
  )

const initiateMultipart = HttpApiEndpoint.post("initiateMultipart", "/storage/upload/initiate-multipart", {
  payload: AnnouncedBody,
  success: UploadView.MultipartBody,
  error: [...everywhere, ...ofBodies]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "initiateMultipartUpload",
      summary: "Bring a file in parts",
      description:
        "At most 10,000 parts of at most 5 GiB, each but the last of at least 5 MiB, in any order and at once. They are kept for seven days."
    })
  )

const upload = {
  uploadKey: Schema.String.annotate({ description: "As the upload was begun with." }),
  uploadId: Schema.String.annotate({ description: "As the upload was begun with." })
}

const idForm: JsonSchema.JsonSchema = { minLength: 1, maxLength: longestId }

const ofUpload: ListParameters.Forms = { uploadKey: idForm, uploadId: idForm }

const partNumber: JsonSchema.JsonSchema = { type: "integer", minimum: 1, maximum: FileLimits.maxParts }

const partUrl = HttpApiEndpoint.get("partUrl", "/storage/upload/multipart-url", {
  query: {
    ...upload,
    partNumber: Schema.String.annotate({
      description: "From 1, without gaps."
    })
  },
  success: UploadView.PartUrlBody,
  error: ofOneUpload
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getPartUrl",
      summary: "Where to bring a part",
      description: "A part that comes again replaces what came before.",
      transform: ListParameters.withForms({ ...ofUpload, partNumber })
    })
  )

const listParts = HttpApiEndpoint.get("listParts", "/storage/upload/parts", {
  query: upload,
  success: UploadView.UploadingBody,
  error: ofOneUpload
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listParts",
      summary: "The parts that have come",
      description: "Whoever was cut off goes on with the others.",
      transform: ListParameters.withForms(ofUpload)
    })
  )

const PartBody = Schema.Struct({
  partNumber: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: FileLimits.maxParts })),
  etag: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestWrittenEtag)).annotate({
    description: "As the PUT was answered; quotes around it, and a `W/` before them, are ignored."
  })
}).annotate({ identifier: "Part" })

const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestId))

const complete = HttpApiEndpoint.post("completeUpload", "/storage/upload/complete", {
  payload: Schema.Struct({
    uploadId: Id,
    uploadKey: Id,
    parts: Schema.Array(PartBody)
      .check(Schema.isMinLength(1), Schema.isMaxLength(FileLimits.maxParts))
      .annotate({ description: "All that were brought, in any order, each once." })
  }).annotate({
    identifier: "CompleteBody",
    description: "The parts of the file. Other fields are ignored.",
    examples: [
      {
        uploadId: "mpu_p5jXN8AQM9LWM0D4loKWxJ",
        uploadKey: UploadView.exampleId,
        parts: [{ partNumber: 1, etag: "5d41402abc4b2a76b9719d911017c592" }]
      }
    ]
  }),
  success: UploadView.CompletedBody,
  error: [...ofOneUpload, ...ofBodies]
})
  .annotate(Requires, "files:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "completeUpload",
      summary: "Make a file of the parts",
      description:
        "400 with `details.partNumbers` when parts are missing, too small or other than named: nothing has changed then, and it may be tried again."
    })
  )

export class UploadsApi extends HttpApiGroup.make("uploads")
  .add(initiate, initiateMultipart, partUrl, listParts, complete)
  .middleware(Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({ title: "Uploads", description: "Bringing files, in one piece or in parts." })
  ) {}
