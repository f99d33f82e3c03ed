/** `POST /pricing/estimate`: what a run would cost (decisions, "Platform routes"). Estimating reserves nothing. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { ModelEndpoint, modelEndpointPattern } from "#domain/ModelEndpoint.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import * as RequestedUnits from "#src/features/catalog/models/RequestedUnits.ts"
import * as EstimateView from "#src/features/catalog/views/EstimateView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { ofOne } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ClientAddress from "#src/edges/http/edge/ClientAddress.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as WebhookFields from "../requests/WebhookFields.ts"
import * as EstimateAdmission from "./EstimateAdmission.ts"

const body = RequestBody.open(
  Schema.Struct({
    modelEndpoint: Schema.String.annotate({ description: "`owner/name`" })
      .check(Schema.isPattern(modelEndpointPattern))
      .pipe(Schema.brand("ModelEndpoint")),
    input: Schema.Record(Schema.String, Schema.Json).annotate({ description: "As it would be submitted." })
  }).annotate({
    identifier: "EstimateRequest",
    examples: [{ modelEndpoint: ModelEndpoint.make("sandbox/slow"), input: { seconds: 2.5 } }]
  }),
  {
    modelEndpoint: { code: "pattern", message: "must be of the form owner/name, in lower case" }
  }
)

const endpoint = HttpApiEndpoint.post("estimatePrice", "/pricing/estimate", {
  payload: body.schema,
  success: EstimateView.EstimateBody,
  error: [...ofOne, ...CommonResponses.ofBodies, CommonResponses.tooManyRequests]
})
  .annotate(OpenApi.Summary, "What a run would cost")
  .annotate(
    OpenApi.Description,
    "Checks the input as submit does; runs and reserves nothing. If only the run can determine the units, the estimate is the highest possible price (`isMaximum`). The body has at most 64 KiB without a key, and 1 MiB with one. Calls without a key share a rate on each node (429); calls with a key count towards the key's own rates. The bytes from an address or account are limited, too, and so is the number of calls that wait for a price expression (503)."
  )

export const estimatePrice = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const expectations = yield* Expectations
    const admit = yield* EstimateAdmission.make
    const addressOf = yield* ClientAddress.make
    const unitsOf = RequestedUnits.make()

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>) {
      const { limit, owner } = yield* admit({ headers: request.headers, address: addressOf(request) })
      const { input: submitted, modelEndpoint } = yield* RequestBody.read(body, request, { limit })
      // The reserved fields of a submit may be present. They cost nothing.
      const input = WebhookFields.withoutWebhook(submitted)
      const entry = yield* catalog.find(modelEndpoint)
      if (entry === null) return yield* ErrorAnswer.unknownModel
      const issues = entry.validateInput(input)
      if (issues.length > 0) {
        return yield* ErrorAnswer.invalid(
          issues.map(({ path, ...rest }) => ({ ...rest, path: ["input", ...path] }))
        )
      }
      const quantities = yield* unitsOf(entry, input).pipe(
        Effect.provideService(EvaluationFor, { purpose: "estimate", owner }),
        Effect.catchTags({
          UnitsUnknown: ({ message }) =>
            Effect.fail(ErrorAnswer.invalid([issue(["input"], "units", message)])),
          EvaluatorBusy: () => Effect.fail(ErrorAnswer.evaluatorBusy)
        })
      )
      return Answer.json(200, EstimateView.of(entry, quantities, expectations.of(modelEndpoint)))
    })
  })
)
