/** What runs cost (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as EstimateView from "#src/features/catalog/views/EstimateView.ts"
import * as PriceView from "#src/features/catalog/views/PriceView.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { answers, conditional, errors, ofOne } from "#src/edges/http/api/PublicResponses.ts"
import { OpenToAnyOrigin, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const prices = HttpApiEndpoint.get("listPrices", "/pricing", {
  query: {
    modelEndpoint: ListParameters.text(
      "Of this model or wrapper only: `owner/name`; the list is empty when there is none."
    ),
    ...ListParameters.page
  },
  headers: conditional,
  success: answers(PriceView.ListBody),
  error: errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listPrices",
    summary: "List prices",
    description: "Of models and wrappers, newest first. A wrapper costs what its base model does.",
    transform: ListParameters.withForms(ListParameters.pageForms(usualLimit))
  })
)

const estimate = HttpApiEndpoint.post("estimatePrice", "/pricing/estimate", {
  payload: Schema.Struct({
    modelEndpoint: Schema.String.annotate({ description: "`owner/name`" }),
    input: Schema.Record(Schema.String, Schema.Json).annotate({ description: "As it would be submitted." })
  }).annotate({
    identifier: "EstimateRequest",
    examples: [{ modelEndpoint: "sandbox/slow", input: { seconds: 2.5 } }]
  }),
  success: EstimateView.EstimateBody,
  error: [
    ...ofOne,
    CommonResponses.timeout,
    CommonResponses.tooLarge,
    CommonResponses.unsupported,
    CommonResponses.tooManyRequests
  ]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "estimatePrice",
    summary: "What a run would cost",
    description:
      "The input is checked as on submit, and nothing is run or reserved. Where only the run can tell the units it is the most that they can come to (`isMaximum`). The body has at most 64 KiB without a key, and 1 MiB with one. Calls without a key share a rate on each node (429); with a key its own rates count. The bytes of an address, or of an account, have a rate too, and few calls wait for a price that an expression tells (503)."
  })
)

export class PricingApi extends HttpApiGroup.make("pricing")
  .add(prices, estimate)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenToAnyOrigin, true)
  .annotateMerge(
    OpenApi.annotations({
      title: "Pricing",
      description: "What runs cost, for everybody: no key is asked for."
    })
  ) {}
