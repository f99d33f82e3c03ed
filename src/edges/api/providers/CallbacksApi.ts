/** `POST /callbacks/{requestId}/{attempt}/{mac}`: 200 when taken or when the run has ended, 503 when the provider has to retry. */
import { Effect, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Callbacks } from "#src/features/providers/Callbacks.ts"
import * as ProviderJson from "#src/features/providers/ProviderJson.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

const described = (description: string) => Schema.String.annotate({ description })

const path = "/callbacks/:requestId/:attempt/:mac"

const options = {
  params: {
    requestId: described("Of the run's request."),
    attempt: described("Number of the run."),
    mac: described("The credential.")
  },
  payload: Schema.Json.annotate({ description: "The body that the provider's protocol defines." }),
  success: Schema.Struct({
    status: Schema.Literals(["delivered", "over"]).annotate({
      description: "`over`: the run has already ended, so the callback has no effect."
    })
  }).annotate({ identifier: "CallbackTaken", examples: [{ status: "delivered" }] }),
  error: [
    CommonResponses.unauthorized,
    CommonResponses.timeout,
    CommonResponses.tooLarge,
    ...CommonResponses.usual
  ]
}

const post = HttpApiEndpoint.post("callback", path, options)
  .annotate(OpenApi.Summary, "Report on a run")
  .annotate(
    OpenApi.Description,
    "Only for the provider that got the address with the run. 503 with `Retry-After`: the node that follows the run cannot be reached, call again."
  )

const put = HttpApiEndpoint.put("putCallback", path, options)
  .annotate(OpenApi.Summary, "Report on a run, with PUT")
  .annotate(OpenApi.Description, "As POST.")

/** Bytes of a body. Outputs may contain files as `data:` URIs. */
const maxBytes = 32 * 1024 * 1024

const tooLarge = ErrorAnswer.bodyTooLarge(maxBytes)

const unknownAddress = new ErrorAnswer.ErrorAnswer({
  status: 401,
  error: "This is not a callback address of this service."
})

const elsewhere = ErrorAnswer.busy(
  "The node that follows this run cannot be reached at the moment: call again.",
  10
)

interface CallbackCall {
  readonly params: { readonly requestId: string; readonly attempt: string; readonly mac: string }
  readonly request: HttpServerRequest
}

const serve = Effect.gen(function* () {
  const callbacks = yield* Callbacks

  return Effect.fnUntraced(function* ({ params, request }: CallbackCall) {
    const { headers } = request
    const run = { ...params, attempt: Number(params.attempt) }
    if (!callbacks.isAddress(run)) return yield* unknownAddress
    if (Number(headers["content-length"] ?? 0) > maxBytes) return yield* tooLarge
    const rawBody = yield* BodyReader.read(request, maxBytes)
    const parsed = ProviderJson.parse(rawBody, { contentType: headers["content-type"] })
    const callback = Result.match(parsed, {
      onSuccess: (json) => ({ json, headers, rawBody }),
      onFailure: (fault) => ({ json: undefined, fault, headers, rawBody })
    })
    const status = yield* callbacks.deliver({ ...run, callback })
    if (status !== "elsewhere" && Result.isFailure(parsed))
      return yield* ErrorAnswer.malformed(`The request body is ${parsed.failure}.`)
    switch (status) {
      case "refused":
        return yield* unknownAddress
      case "elsewhere":
        return yield* elsewhere
      case "delivered":
      case "over":
        return Answer.json(200, { status })
    }
  })
})

const routes = [Route.prepared(post, serve), Route.prepared(put, serve)] as const

/** The address of a run is the credential (`features/providers/Callbacks`). */
export class CallbacksApi extends HttpApiGroup.make("callbacks")
  .add(...Route.endpointsOf(routes))
  .annotate(TakesQuery, anyQuery)
  .annotate(OpenApi.Title, "Callbacks")
  .annotate(OpenApi.Description, "Reports of providers on their runs.") {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
