/** `GET …/predictions/{id}`, `POST …/cancel`, and the list. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import type { Expansion } from "#src/features/requests/ListedRequest.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { Requests } from "#src/features/requests/Requests.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as RequestRoute from "#src/edges/api/requests/RequestRoute.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as Pages from "../Pages.ts"
import * as Paths from "../Paths.ts"
import * as ReplicateErrors from "../ReplicateErrors.ts"
import * as Predictions from "./Predictions.ts"
import * as PredictionView from "./PredictionView.ts"

const params = { predictionId: RequestRoute.described("The id of the request.") }

const shown = (identifier: string) =>
  PredictionView.Body.annotate({
    identifier,
    description: "A prediction in any state.",
    examples: [PredictionView.example]
  })

const ofOne = {
  params,
  success: shown("ReplicatePredictionState"),
  error: [...ReplicateErrors.ofKeys, ReplicateErrors.notFound]
}

const get = HttpApiEndpoint.get("getReplicatePrediction", `${Paths.root}/predictions/:predictionId`, ofOne)
  .annotate(Requires, "requests:read")
  .annotate(OpenApi.Summary, "One prediction")
  .annotate(OpenApi.Description, "The request in any state.")

export const getPrediction = Route.make(
  get,
  Predictions.make,
  function* ({ find, show }, { params, request }, caller) {
    return Answer.record(200, yield* show(request, yield* find(caller, params.predictionId)))
  }
)

const cancel = HttpApiEndpoint.post(
  "cancelReplicatePrediction",
  `${Paths.root}/predictions/:predictionId/cancel`,
  ofOne
)
  .annotate(Requires, "requests:write")
  .annotate(OpenApi.Summary, "Cancel a prediction")
  .annotate(
    OpenApi.Description,
    "Has no effect on an ended one. A running one may still be `processing` in the answer, until its provider has stopped."
  )

export const cancelPrediction = Route.make(
  cancel,
  Effect.all({ predictions: Predictions.make, requests: Requests }),
  function* ({ predictions, requests }, { params, request }, caller) {
    const found = yield* predictions.find(caller, params.predictionId)
    const { model } = found.request.submitted
    const snapshot = yield* requests.cancel({ caller, id: found.id, endpoint: model })
    return Answer.record(200, yield* predictions.show(request, snapshot))
  }
)

const dateTime = { type: "string", format: "date-time" }

const list = HttpApiEndpoint.get("listReplicatePredictions", `${Paths.root}/predictions`, {
  query: {
    created_after: ListParameters.text("Only those accepted after this time.", dateTime),
    created_before: ListParameters.text("Only those accepted before this time.", dateTime),
    cursor: Pages.cursor
  },
  success: Pages.bodyOf(shown("ListedReplicatePrediction")).annotate({
    identifier: "ReplicatePredictions",
    description: "A page of the account's predictions, newest first."
  }),
  error: ReplicateErrors.ofKeys
})
  .annotate(Requires, "requests:read")
  .annotate(OpenApi.Summary, "List predictions")
  .annotate(
    OpenApi.Description,
    "All requests of the account. Without `version`, `logs` and `urls.stream`; `input` and `output` are null where a page would exceed 16 MiB."
  )

const paging = PageQuery.make(
  Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String }),
  PageQuery.mostPerPage
)

const expand: ReadonlySet<Expansion> = new Set(["payloads"])

const tooManyLists = ErrorAnswer.busy("Too many lists with payloads are being made at the moment.", 5)

const none = { input: null, output: null }

export const listPredictions = Route.prepared(
  list,
  Effect.gen(function* () {
    const history = yield* RequestHistory
    const urls = yield* PublicUrls

    return Effect.fnUntraced(function* ({ query }: Route.Call<typeof list>, caller: Caller) {
      const { created_after, created_before, cursor } = query
      const { createdAfter, createdBefore, page } = yield* ErrorAnswer.orInvalid(
        Parsed.all({
          createdAfter: QueryFields.dateTime("created_after", created_after),
          createdBefore: QueryFields.dateTime("created_before", created_before),
          page: paging.parse({ cursor })
        })
      )
      const filter = {
        ...(createdAfter !== undefined && { createdAfter }),
        ...(createdBefore !== undefined && { createdBefore })
      }
      const { items, next } = yield* history
        .list({ caller, ...filter, ...page, expand })
        .pipe(Effect.catchTag("TooManyExpanded", () => tooManyLists))
      const results = items.map(({ payloads, snapshot }) =>
        PredictionView.record(
          urls,
          snapshot,
          payloads === "omitted" || payloads === null ? none : payloads,
          null
        )
      )
      const place = paging.nextOf(page.page, next)
      const url = Pages.nextUrl(urls.baseUrl, "predictions", place, { created_after, created_before })
      return Answer.pageOf(200, { previous: null, next: url, results }, results)
      // The memory of the page is released as soon as its text is made.
    }, Effect.scoped)
  })
)
