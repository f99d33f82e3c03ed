/** `DELETE /requests/{id}/payloads`: erases input, output and files of a request that has ended. */
import { Effect } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestRoute from "./RequestRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as PayloadErasing from "#src/features/retention/PayloadErasing.ts"

export const endpoint = HttpApiEndpoint.delete("eraseRequestPayloads", "/requests/:requestId/payloads", {
  params: RequestRoute.params,
  success: HttpApiSchema.NoContent.annotate({
    description: "Erased, now or before. They cannot be read any more."
  }),
  error: [...CommonResponses.usualOfOne, CommonResponses.conflict]
})
  .annotate(Requires, "requests:write")
  .annotate(ServedOn, ["queue", "platform"])
  .annotate(OpenApi.Summary, "Erase input and output")
  .annotate(
    OpenApi.Description,
    "Erases the input, the output and the stored files of a request that has ended, for good. The request stays: its status, times, cost, metadata, log lines and webhook URL. Without this they are erased at `expiresAt`."
  )

export const make = Effect.gen(function* () {
  const erase = yield* PayloadErasing.make

  return Effect.fnUntraced(function* ({ caller, params }: RequestRoute.CallById) {
    const id = yield* Effect.fromResult(RequestRoute.parseId(params.requestId))
    yield* erase({ caller, id })
    return Answer.empty(204, { "cache-control": "no-store" })
  })
})
