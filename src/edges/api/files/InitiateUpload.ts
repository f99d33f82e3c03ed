/** `POST /storage/upload/initiate` and `…/initiate-multipart`: where the bytes of a file are to be brought. */
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as UploadBody from "./UploadBody.ts"

export interface InitiateUploadCall extends JsonObjectBody.Sent {
  readonly caller: Caller
}

const announced = Effect.fnUntraced(function* ({ caller, ...sent }: InitiateUploadCall) {
  const upload = UploadBody.parse(yield* JsonObjectBody.read(sent))
  if (Result.isFailure(upload)) return yield* Refusal.invalid(upload.failure)
  return { caller, ...upload.success }
})

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads

  return {
    single: Effect.fnUntraced(function* (call: InitiateUploadCall) {
      const { fileUrl, uploadUrl } = yield* uploads.initiate(yield* announced(call))
      return Answer.json(200, { upload_url: uploadUrl, file_url: fileUrl })
    }),

    multipart: Effect.fnUntraced(function* (call: InitiateUploadCall) {
      const { fileUrl, uploadId, uploadKey } = yield* uploads.initiateMultipart(yield* announced(call))
      return Answer.json(200, { fileUrl, uploadId, uploadKey })
    })
  }
})
