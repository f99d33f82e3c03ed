/** `POST …/predictions`: of a version, of a model, and of a deployment, which is a model here. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Accepting from "#src/edges/api/requests/Accepting.ts"
import { RequestHandlers } from "#src/edges/api/requests/RequestHandlers.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as JsonBody from "#src/edges/http/requests/JsonBody.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import * as Versions from "../models/Versions.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as PredictionBody from "./PredictionBody.ts"
import * as Predictions from "./Predictions.ts"
import * as PredictionView from "./PredictionView.ts"

const Payload = Schema.StructWithRest(
  Schema.Struct({
    input: Schema.JsonObject.annotate({ description: "The model's input." }),
    version: RequestRoute.optional("`<version>`, `<owner>/<name>` or `<owner>/<name>:<version>`."),
    webhook: RequestRoute.optional("HTTPS URL that gets the events, in this service's own form."),
    webhook_events_filter: Schema.optionalKey(
      Schema.Array(Schema.String).annotate({
        description: '`start` and `completed`, both by default. "output" and "logs" are refused.'
      })
    )
  }),
  [Schema.Record(Schema.String, Schema.Json)]
).annotate({
  identifier: "ReplicatePredictionBody",
  description: "The input and where to send events. Other fields are ignored.",
  examples: [{ input: { value: "hello" }, version: "sandbox/echo" }]
})

const options = {
  headers: {
    prefer: RequestRoute.optional("`wait` or `wait=<1..60>`: answers when it has ended, or after that time."),
    "cancel-after": RequestRoute.optional("Seconds, or `90s`, `5m`, `1h`, at most 30 days."),
    "idempotency-key": RequestRoute.optional("1 to 255 printable ASCII characters, valid for 24 hours.")
  },
  payload: Payload,
  success: HttpApiSchema.WithHeaders(
    PredictionView.Body.annotate({
      identifier: "ReplicatePrediction",
      description: "A prediction.",
      examples: [PredictionView.example]
    }).pipe(HttpApiSchema.status(201)),
    {
      "idempotency-replayed": RequestRoute.optional(
        "`true`: the answer to an earlier call under the same key."
      )
    }
  ),
  error: [
    ...ReplicateErrors.ofKeys,
    ...ReplicateErrors.ofBodies,
    ReplicateErrors.notFound,
    ReplicateErrors.insufficient,
    ReplicateErrors.conflict
  ]
} as const

const described = (summary: string) =>
  OpenApi.annotations({
    summary,
    description:
      "A submit of the model. A prediction that has not ended when the answer is sent is `starting` in it, also if it runs already: Replicate's client polls only those."
  })

const ofVersion = HttpApiEndpoint.post("createReplicatePrediction", `${Paths.root}/predictions`, options)
  .annotate(Requires, "requests:write")
  .annotateMerge(described("Create a prediction of a version"))

const ofModel = HttpApiEndpoint.post(
  "createReplicateModelPrediction",
  `${Paths.root}/models/:owner/:name/predictions`,
  { ...options, params: Paths.params }
)
  .annotate(Requires, "requests:write")
  .annotateMerge(described("Create a prediction of a model"))

const ofDeployment = HttpApiEndpoint.post(
  "createReplicateDeploymentPrediction",
  `${Paths.root}/deployments/:owner/:name/predictions`,
  { ...options, params: Paths.params }
)
  .annotate(Requires, "requests:write")
  .annotateMerge(described("Create a prediction of a deployment"))

/** A model in the path, and whether it is called a deployment. */
interface Addressed {
  readonly endpoint: string
  readonly isDeployment: boolean
}

const versionMissing = ErrorAnswer.invalid([issue(["version"], "required", "must be given")])

const make = Effect.gen(function* () {
  const { accept, untilEnded } = yield* RequestHandlers
  const predictions = yield* Predictions.make
  const versions = yield* Versions.make

  const modelOf = (addressed: Addressed | null, version: string | null) => {
    if (addressed !== null) return versions.ofModel(addressed.endpoint, version)
    return version === null ? Effect.fail(versionMissing) : versions.named(version)
  }

  return Effect.fnUntraced(function* (
    { request }: Pick<Route.Call<never>, "request">,
    caller: Caller,
    addressed: Addressed | null
  ) {
    const readBody = Effect.fnUntraced(function* (grow: BodyReader.Grow) {
      const bytes = yield* BodyReader.read(request, JsonBody.maxBytes, grow)
      const { submit, version } = yield* Effect.fromResult(PredictionBody.parse(bytes))
      return { body: submit, endpoint: yield* modelOf(addressed, version) }
    })
    const { accepted, preferredMs } = yield* accept(
      {
        caller,
        endpoint: addressed?.endpoint ?? null,
        headers: request.headers,
        wait: undefined,
        readBody
      },
      Effect.succeed
    ).pipe(
      Effect.catchTag("InvalidInput", ({ issues }) =>
        Effect.fail(PredictionBody.ofInput(ErrorAnswer.invalid(issues)))
      )
    )
    const latest = preferredMs === null ? accepted : yield* untilEnded(accepted, preferredMs)
    const shown = yield* predictions.show(request, latest)
    return Answer.record(
      201,
      {
        ...shown,
        ...(!Accepting.isEnded(latest) && { status: "starting" }),
        ...(addressed?.isDeployment === true && { deployment: addressed.endpoint })
      },
      accepted.replayed ? { "idempotency-replayed": "true" } : Answer.noHeaders
    )
  })
})

export const createPrediction = Route.make(ofVersion, make, function* (create, call, caller) {
  return yield* create(call, caller, null)
})

export const createModelPrediction = Route.make(ofModel, make, function* (create, call, caller) {
  return yield* create(call, caller, { endpoint: Paths.endpointOf(call.params), isDeployment: false })
})

export const createDeploymentPrediction = Route.make(ofDeployment, make, function* (create, call, caller) {
  return yield* create(call, caller, { endpoint: Paths.endpointOf(call.params), isDeployment: true })
})
