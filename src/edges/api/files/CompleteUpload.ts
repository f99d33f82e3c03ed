/** `POST /storage/upload/complete`: makes a file of the uploaded parts. Undeclared fields are ignored. */
import { Array, Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import { maxParts } from "#src/features/media/storage/FileLimits.ts"
import type { Part } from "#src/platform/blobs/Part.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as PartsView from "./PartsView.ts"
import * as UploadRoute from "./UploadRoute.ts"

/** Characters of an ETag, without its quotes. */
const longestEtag = 128

/** Characters of an ETag with its quotes, as a header has it. */
const longestWrittenEtag = longestEtag + `W/""`.length

const PartBody = Schema.Struct({
  partNumber: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxParts })),
  etag: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(longestWrittenEtag)).annotate({
    description: "The `ETag` of the answer to the PUT; its quotes, and a `W/` before them, are ignored."
  })
}).annotate({ identifier: "Part" })

const Id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(UploadRoute.longestId))

export const body = RequestBody.open(
  Schema.Struct({
    uploadId: Id,
    uploadKey: Id,
    parts: Schema.Array(PartBody)
      .check(Schema.isMinLength(1), Schema.isMaxLength(maxParts))
      .annotate({ description: "All uploaded parts, in any order, each once." })
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
  })
)

const endpoint = HttpApiEndpoint.post("completeUpload", "/storage/upload/complete", {
  payload: body.schema,
  success: UploadView.CompletedBody,
  error: [...UploadRoute.errorsOfOneUpload, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "files:write")
  .annotate(OpenApi.Summary, "Make a file of the parts")
  .annotate(
    OpenApi.Description,
    "400 with `details.partNumbers` if parts are missing, too small or different from the named ones. Nothing has changed then, and the call may be repeated."
  )

interface Completed {
  readonly uploadKey: string
  readonly uploadId: string
  /** As the client named them, each once. */
  readonly parts: Array.NonEmptyReadonlyArray<Part>
}

export const parse = ({ parts, uploadId, uploadKey }: (typeof body.schema)["Type"]): Parsed<Completed> => {
  const unquoted = Array.map(parts, ({ etag, partNumber }) => ({ partNumber, etag: withoutQuotes(etag) }))
  const issues = [...repeated(unquoted), ...unquoted.flatMap(({ etag }, index) => etagIssues(etag, index))]
  return issues.length === 0 && Array.isReadonlyArrayNonEmpty(unquoted)
    ? Result.succeed({ uploadId, uploadKey, parts: unquoted })
    : invalid(...issues)
}

/** The ETag without quotes. A proxy may have weakened it, and many clients strip the quotes themselves. */
const withoutQuotes = (etag: string): string => /^(?:W\/)?"(.*)"$/s.exec(etag)?.[1] ?? etag

const etagIssues = (etag: string, index: number): ReadonlyArray<Issue> => {
  if (etag.length >= 1 && etag.length <= longestEtag) return []
  const code = etag === "" ? "minLength" : "maxLength"
  return [issue(["parts", index, "etag"], code, `must have 1 to ${longestEtag} characters`)]
}

const repeated = (parts: ReadonlyArray<Part>): ReadonlyArray<Issue> => {
  const seen = new Set<number>()
  return parts.flatMap(({ partNumber }, index) => {
    const issues = seen.has(partNumber)
      ? [issue(["parts", index, "partNumber"], "uniqueItems", "must not name a part twice")]
      : []
    seen.add(partNumber)
    return issues
  })
}

export const completeUpload = Route.make(endpoint, Uploads, function* (uploads, { request }, caller) {
  const completed = yield* ErrorAnswer.orInvalid(parse(yield* RequestBody.read(body, request)))
  const fileUrl = yield* UploadRoute.asUpload(uploads.complete({ caller, ...completed })).pipe(
    Effect.catchTag("PartsRefused", (refused) => Effect.fail(PartsView.errorAnswer(refused, completed.parts)))
  )
  return Answer.json(200, { fileUrl })
})
