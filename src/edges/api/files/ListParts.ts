/** `GET /storage/upload/parts`: what has come of an upload in parts, so that whoever was cut off goes on. */
import { Effect } from "effect"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as UploadView from "#src/features/files/views/UploadView.ts"
import { asUpload, type UploadCall } from "./UploadCall.ts"

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads

  return Effect.fnUntraced(function* ({ caller, query: { uploadId, uploadKey } }: UploadCall) {
    const uploading = yield* asUpload(uploads.uploading({ caller, uploadKey, uploadId }))
    return Answer.json(200, UploadView.uploading(uploading))
  })
})
