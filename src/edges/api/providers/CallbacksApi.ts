/** Where providers tell of runs. Each run has an address of its own, which is the credential (`providers/Callbacks`). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { anyQuery, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })

const options = {
  params: {
    requestId: described("Of the run's request."),
    attempt: described("Number of the run."),
    mac: described("The credential.")
  },
  payload: Schema.Json.annotate({ description: "What the provider's protocol says." }),
  success: Schema.Struct({
    status: Schema.Literals(["delivered", "over"]).annotate({
      description: "`over`: the run has ended before, and nobody is interested any more."
    })
  }).annotate({ identifier: "CallbackTaken", examples: [{ status: "delivered" }] }),
  error: [
    CommonResponses.badRequest,
    CommonResponses.unauthorized,
    CommonResponses.timeout,
    CommonResponses.tooLarge,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
}

const description =
  "For the provider that was given the address with the run, and for nobody else. 503 with `Retry-After`: whoever follows the run cannot be reached for now, call again."

const callback = HttpApiEndpoint.post(
  "callback",
  "/callbacks/:requestId/:attempt/:mac",
  options
).annotateMerge(OpenApi.annotations({ identifier: "callback", summary: "Tell of a run", description }))

const putCallback = HttpApiEndpoint.put(
  "putCallback",
  "/callbacks/:requestId/:attempt/:mac",
  options
).annotateMerge(
  OpenApi.annotations({
    identifier: "putCallback",
    summary: "Tell of a run, with PUT",
    description: "As POST."
  })
)

export class CallbacksApi extends HttpApiGroup.make("callbacks")
  .add(callback, putCallback)
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(OpenApi.annotations({ title: "Callbacks", description: "What providers tell of runs." })) {}
