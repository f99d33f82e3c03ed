/** `fal.storage.upload` (and the client's upload of each `Blob` of an input): the file goes where the service's own uploads go. */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as AnnouncedUpload from "#src/edges/api/files/AnnouncedUpload.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as FalOptions from "../FalOptions.ts"
import * as UploadTicket from "./UploadTicket.ts"

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads
  const ticket = yield* UploadTicket.make

  const announcedIn = (request: HttpServerRequest) =>
    Effect.flatMap(FalOptions.translate(request.headers), () =>
      Effect.map(RequestBody.read(AnnouncedUpload.body, request), AnnouncedUpload.announced)
    )

  const initiate = Effect.fnUntraced(function* (caller: Caller, request: HttpServerRequest) {
    const announced = yield* announcedIn(request)
    const { fileUrl, uploadUrl } = yield* uploads.initiate({ caller, ...announced })
    return Answer.json(200, { upload_url: uploadUrl, file_url: fileUrl })
  })

  const initiateInParts = Effect.fnUntraced(function* (caller: Caller, request: HttpServerRequest) {
    const announced = yield* announcedIn(request)
    const { fileUrl, uploadId, uploadKey } = yield* uploads.initiateMultipart({ caller, ...announced })
    const uploadUrl = yield* ticket.issue({ caller, uploadId, uploadKey })
    return Answer.json(200, { upload_url: uploadUrl, file_url: fileUrl })
  })

  return { initiate, initiateInParts }
})
