/** `GET /storage/upload/multipart-url`: a URL to PUT one part to. */
import { Effect, Result } from "effect"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as PartNumber from "./PartNumber.ts"
import { asUpload, type UploadCall } from "./UploadCall.ts"

export interface PartUrlCall extends UploadCall {
  readonly query: UploadCall["query"] & { readonly partNumber: string }
}

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads

  return Effect.fnUntraced(function* ({ caller, query }: PartUrlCall) {
    const { uploadId, uploadKey } = query
    const partNumber = PartNumber.parse(query.partNumber)
    if (Result.isFailure(partNumber)) return yield* Refusal.invalid(partNumber.failure)
    const named = { caller, uploadKey, uploadId, partNumber: partNumber.success }
    return Answer.json(200, { presignedUrl: yield* asUpload(uploads.partUrl(named)) })
  })
})
