/** The declared media routes. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as Answer from "../Answer.ts"
import { Api } from "../Api.ts"
import { answerError } from "../edge/Respond.ts"
import * as File from "../routes/File.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "media",
  Effect.fnUntraced(function* (handlers) {
    const file = yield* File.make
    return handlers.handleRaw("file", ({ params, request }) =>
      file(params.mediaId, request).pipe(
        Effect.catch((error) => Effect.map(answerError(error), Answer.toResponse))
      )
    )
  })
)
