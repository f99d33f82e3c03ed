/** `POST /storage/upload/complete`: makes a file of the parts that were brought. */
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Uploads } from "#src/features/files/Uploads.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as CompleteBody from "./CompleteBody.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import * as PartsView from "./PartsView.ts"
import { asUpload } from "./UploadCall.ts"

export interface CompleteUploadCall extends JsonObjectBody.Sent {
  readonly caller: Caller
}

export const make = Effect.gen(function* () {
  const uploads = yield* Uploads

  return Effect.fnUntraced(function* ({ caller, ...sent }: CompleteUploadCall) {
    const body = CompleteBody.parse(yield* JsonObjectBody.read(sent))
    if (Result.isFailure(body)) return yield* Refusal.invalid(body.failure)
    const { parts } = body.success
    const fileUrl = yield* asUpload(uploads.complete({ caller, ...body.success })).pipe(
      Effect.catchTag("PartsRefused", (refused) => Effect.fail(PartsView.refusal(refused, parts)))
    )
    return Answer.json(200, { fileUrl })
  })
})
