/** The body of `POST /storage/upload/complete` (contract, "Uploads"). Other fields are ignored. */
import { Array, Result, Schema } from "effect"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import { maxParts } from "#src/features/media/storage/FileLimits.ts"
import type { Part } from "#src/platform/blobs/Part.ts"
import * as JsonSchemaValidator from "#src/features/catalog/models/JsonSchemaValidator.ts"
import type { Issue } from "#src/platform/views/EnvelopeView.ts"
import { issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"

export interface CompleteBody {
  readonly uploadKey: string
  readonly uploadId: string
  /** As the client named them, each once. */
  readonly parts: Array.NonEmptyReadonlyArray<Part>
}

/** Characters of an id. They are of our making, or a store's: what is longer is none. */
export const longestId = 2048

const id = { type: "string", minLength: 1, maxLength: longestId }

/** Characters of an ETag, without its quotes. */
const longestEtag = 128

/** Characters of an ETag as a header may have it. */
export const longestWrittenEtag = longestEtag + `W/""`.length

const validator = JsonSchemaValidator.ofProgram({
  type: "object",
  properties: {
    uploadId: id,
    uploadKey: id,
    parts: {
      type: "array",
      minItems: 1,
      maxItems: maxParts,
      items: {
        type: "object",
        properties: {
          partNumber: { type: "integer", minimum: 1, maximum: maxParts },
          etag: { type: "string", minLength: 1, maxLength: longestWrittenEtag }
        },
        required: ["partNumber", "etag"]
      }
    }
  },
  required: ["uploadId", "uploadKey", "parts"]
})

const decode = Schema.decodeUnknownSync(
  Schema.Struct({
    uploadId: Schema.String,
    uploadKey: Schema.String,
    parts: Schema.NonEmptyArray(Schema.Struct({ partNumber: Schema.Int, etag: Schema.String }))
  })
)

export const parse = (body: JsonObject): Parsed<CompleteBody> => {
  const breaches = validator.issues(body)
  if (breaches.length > 0) return Result.fail(breaches)
  const { parts, uploadId, uploadKey } = decode(body)
  const unquoted = Array.map(parts, ({ etag, partNumber }) => ({ partNumber, etag: withoutQuotes(etag) }))
  const issues = [...repeated(unquoted), ...unquoted.flatMap(({ etag }, index) => etagIssues(etag, index))]
  return issues.length > 0 ? Result.fail(issues) : Result.succeed({ uploadId, uploadKey, parts: unquoted })
}

/** As the header has it, weakened on the way perhaps, and as many clients keep it. */
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
