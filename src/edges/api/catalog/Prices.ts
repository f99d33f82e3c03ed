/** `GET /pricing` and `POST /pricing/estimate` (decisions, "Platform routes"): what runs cost. Estimating reserves nothing. */
import { Effect, Result } from "effect"
import { type Contents, type Listed } from "#src/features/catalog/CatalogContents.ts"
import { Expectations } from "#src/features/catalog/Expectations.ts"
import { newestFirst } from "#src/features/catalog/NewestFirst.ts"
import { memoize } from "#src/kernel/async/Memoize.ts"
import * as RequestedUnits from "#src/features/catalog/models/RequestedUnits.ts"
import { Catalog } from "#src/features/catalog/models/Catalog.ts"
import { EvaluationFor } from "#src/features/catalog/models/expression/EvaluationFor.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as EstimateBody from "./EstimateBody.ts"
import * as JsonObjectBody from "#src/edges/http/requests/JsonObjectBody.ts"
import { issue } from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as EstimateView from "#src/features/catalog/views/EstimateView.ts"
import * as ListingView from "#src/features/catalog/views/ListingView.ts"
import * as PriceView from "#src/features/catalog/views/PriceView.ts"
import type * as EstimateAdmission from "./EstimateAdmission.ts"
import * as KeptTexts from "./KeptTexts.ts"
import * as PublicAnswers from "./PublicAnswers.ts"
import * as PublicList from "./PublicList.ts"

interface PriceQuery {
  readonly modelEndpoint?: string | undefined
}

interface EstimateCall extends EstimateAdmission.Admitted, Omit<JsonObjectBody.Sent, "limit"> {}

export const make = Effect.gen(function* () {
  const catalog = yield* Catalog
  const expectations = yield* Expectations
  const unitsOf = RequestedUnits.make()
  const answer = yield* PublicAnswers.make
  const inOrder = newestFirst((listed: Listed) => ListingView.partsOf(listed).shown.endpoint)
  const all = memoize(({ models, wrappers }: Contents) => inOrder([...models, ...wrappers]))

  return {
    list: yield* PublicList.make({
      answer,
      cacheControl: PublicAnswers.steady,
      filter: ({ modelEndpoint }: PriceQuery) => QueryFields.modelEndpoint(modelEndpoint),
      find: (contents, endpoint) => {
        if (endpoint === undefined) return all(contents)
        const listed = contents.byEndpoint.get(endpoint)
        return listed === undefined ? [] : inOrder([listed])
      },
      text: KeptTexts.keptTexts(PriceView.record)
    }),

    estimate: Effect.fnUntraced(function* ({ limit, owner, ...sent }: EstimateCall) {
      const body = yield* JsonObjectBody.read({ ...sent, limit })
      const asked = EstimateBody.parse(body)
      if (Result.isFailure(asked)) return yield* Refusal.invalid(asked.failure)
      const { endpoint, input } = asked.success
      const entry = yield* catalog.find(endpoint)
      if (entry === null) return yield* Refusal.unknownModel
      const issues = entry.validateInput(input)
      if (issues.length > 0) {
        return yield* Refusal.invalid(
          issues.map(({ path, ...rest }) => ({ ...rest, path: ["input", ...path] }))
        )
      }
      const quantities = yield* unitsOf(entry, input).pipe(
        Effect.provideService(EvaluationFor, { purpose: "estimate", owner }),
        Effect.catchTags({
          UnitsUnknown: ({ message }) => Effect.fail(Refusal.invalid([issue(["input"], "units", message)])),
          EvaluatorBusy: () => Effect.fail(Refusal.evaluatorBusy)
        })
      )
      return Answer.json(200, EstimateView.of(entry, quantities, expectations.of(endpoint)))
    })
  }
})
