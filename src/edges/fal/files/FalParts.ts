/** The parts of a file that fal's client uploads, which it does above 90 MiB. The address is the credential. */
import { Array, Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { type Named, Uploads } from "#src/features/files/Uploads.ts"
import * as MediaUrl from "#src/features/media/MediaUrl.ts"
import { Reception } from "#src/features/media/storage/Reception.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as CompleteUpload from "#src/edges/api/files/CompleteUpload.ts"
import * as GetPartUrl from "#src/edges/api/files/GetPartUrl.ts"
import * as PartsView from "#src/edges/api/files/PartsView.ts"
import * as ReceiveFile from "#src/edges/api/files/ReceiveFile.ts"
import * as UploadRoute from "#src/edges/api/files/UploadRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as PublicReads from "#src/edges/http/api/PublicReads.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as FalErrors from "../FalErrors.ts"
import * as Paths from "../Paths.ts"
import * as UploadTicket from "./UploadTicket.ts"

const described = (description: string) => Schema.String.annotate({ description })

const uploadKey = described("Of the file.")
const query = {
  account: described("Of the file."),
  uploadId: described("Of the upload."),
  expires: described("Unix time in seconds. The query must be unchanged."),
  signature: described("The credential.")
}

const Part = Schema.Struct({ partNumber: Schema.Int, etag: Schema.String }).annotate({
  identifier: "FalPart",
  description: "The part is stored."
})

const putEndpoint = HttpApiEndpoint.put("putPartOfFal", `${Paths.uploads}/:uploadKey/:partNumber`, {
  params: { uploadKey, partNumber: described("From 1, without gaps.") },
  query,
  success: [
    Part,
    HttpApiSchema.Empty(307).annotate({ description: "Files are stored at S3, where the part belongs." })
  ],
  error: FalErrors.ofFiles
})
  .annotate(OpenApi.Summary, "Upload a part")
  .annotate(OpenApi.Description, "Below the `upload_url` of an upload in parts, which has the query.")
  .annotate(OpenApi.Transform, ReceiveFile.withBytes)

const body = RequestBody.open(
  Schema.Struct({
    parts: Schema.Array(
      Schema.Struct({ partNumber: Schema.optionalKey(Schema.Int), etag: Schema.optionalKey(Schema.String) })
    ).annotate({ description: "A part that went to S3 has neither number nor ETag here." })
  }).annotate({ identifier: "FalParts", description: "All parts." })
)

const completeEndpoint = HttpApiEndpoint.post("completeUploadOfFal", `${Paths.uploads}/:uploadKey/complete`, {
  params: { uploadKey },
  query,
  payload: body.schema,
  success: Schema.Struct({ file_url: Schema.String }).annotate({
    identifier: "FalFile",
    description: "The file can be read."
  }),
  error: [...FalErrors.ofFiles, ...FalErrors.ofBodies]
})
  .annotate(OpenApi.Summary, "Make a file of the parts")
  .annotate(OpenApi.Description, "Below the `upload_url` of an upload in parts, which has the query.")

const isWhole = (
  part: (typeof body.schema)["Type"]["parts"][number]
): part is { readonly partNumber: number; readonly etag: string } =>
  part.partNumber !== undefined && part.etag !== undefined

const noParts = ErrorAnswer.invalid([issue(["parts"], "minItems", "must not be empty")])

const services = Effect.gen(function* () {
  const ticket = yield* UploadTicket.make
  const uploads = yield* Uploads
  const reception = yield* Reception
  const { mediaUrl } = yield* PublicUrls
  const ours = `${mediaUrl}/${MediaUrl.root}/`
  return { ticket, uploads, reception, ours }
})

const putPart = Route.make(
  putEndpoint,
  services,
  function* ({ ours, reception, ticket, uploads }, { params, query, request }, _caller: void) {
    const named = yield* ticket.open(params.uploadKey, query)
    const partNumber = yield* ErrorAnswer.orInvalid(GetPartUrl.parsePartNumber(params.partNumber))
    const url = yield* UploadRoute.asUpload(uploads.partUrl({ ...named, partNumber }))
    if (!url.startsWith(ours)) return Answer.empty(307, { location: url, "cache-control": "no-store" })
    const put = yield* ReceiveFile.putOf(request)
    const signed = Object.fromEntries(new URL(url).searchParams)
    const etag = yield* reception.receive({ ...put, id: named.uploadKey, query: signed })
    return Answer.json(200, { partNumber, etag })
  }
)

const partsMissing = ErrorAnswer.invalid([
  issue(["parts"], "count", "must be as many as the parts that have arrived")
])

/** The parts that the client names, or those that have arrived, if it was not told their ETags. */
const partsOf = Effect.fnUntraced(function* (
  uploads: Uploads["Service"],
  { uploadId, uploadKey, ...named }: Named,
  { parts }: (typeof body.schema)["Type"]
) {
  if (parts.every(isWhole)) {
    const completed = yield* ErrorAnswer.orInvalid(CompleteUpload.parse({ uploadId, uploadKey, parts }))
    return completed.parts
  }
  const arrived = yield* uploads.uploading({ uploadId, uploadKey, ...named })
  // A file without its end would look whole.
  if (arrived.parts.length !== parts.length) return yield* partsMissing
  return arrived.parts.map(({ etag, partNumber }) => ({ etag, partNumber }))
})

const complete = Route.make(
  completeEndpoint,
  services,
  function* ({ ticket, uploads }, { params, query, request }, _caller: void) {
    const named = yield* ticket.open(params.uploadKey, query)
    const sent = yield* RequestBody.read(body, request)
    const parts = yield* UploadRoute.asUpload(partsOf(uploads, named, sent))
    if (!Array.isReadonlyArrayNonEmpty(parts)) return yield* noParts
    const fileUrl = yield* UploadRoute.asUpload(uploads.complete({ ...named, parts })).pipe(
      Effect.catchTag("PartsRefused", (refused) => Effect.fail(PartsView.errorAnswer(refused, parts)))
    )
    return Answer.json(200, { file_url: fileUrl })
  }
)

const routes = [putPart, complete] as const

export class FalPartsApi extends HttpApiGroup.make("falUploads")
  .add(...Route.endpointsOf(routes))
  .annotate(ServedOn, ["media"])
  .annotate(OpenToAnyOrigin, true)
  .annotate(OpenApi.Title, "Uploads of fal's client")
  .annotate(OpenApi.Description, "Where `@fal-ai/client` sends the parts of large files.") {}

export const layer = DeclaredRoutes.layer(PublicReads.admit, routes, FalErrors.form)
