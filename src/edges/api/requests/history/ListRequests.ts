/** `GET /requests`: a page of the account's requests, newest first (decisions, "History"). */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Status } from "#domain/inference-request/Status.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { expansions } from "#src/features/requests/ListedRequest.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import * as HistoryView from "#src/features/requests/views/HistoryView.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, TakesTokens } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Expand from "#src/edges/http/requests/Expand.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as HistoryFilter from "./HistoryFilter.ts"

const dateTime = { type: "string", format: "date-time" }

/** A parameter whose name has a variable part, which the declared schemas cannot express. */
const metadata = {
  name: "metadata.{key}",
  in: "query",
  required: false,
  schema: { type: "string" },
  description: `Only requests with this value under this key of \`X-Request-Metadata\`; at most ${HistoryFilter.mostMetadata} keys.`
}

const withMetadata = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { parameters } = operation
  return { ...operation, parameters: [...(Array.isArray(parameters) ? parameters : []), metadata] }
}

const endpoint = HttpApiEndpoint.get("listRequests", "/requests", {
  query: {
    status: ListParameters.text("Only this status.", { enum: [...Status.literals] }),
    modelEndpoint: ListParameters.text("Only this model, `{owner}/{model}`."),
    createdAfter: ListParameters.text(
      "Only requests accepted after this time: a date-time with its offset, or a date (midnight UTC).",
      dateTime
    ),
    createdBefore: ListParameters.text("Only requests accepted before this time.", dateTime),
    expand: ListParameters.texts(`Adds to each request: ${expansions.join(", ")}, comma-separated.`),
    ...ListParameters.page
  },
  success: HistoryView.ListBody,
  error: [CommonResponses.unauthorized, CommonResponses.forbidden, ...CommonResponses.usual]
})
  .annotate(Requires, "requests:read")
  .annotate(TakesTokens, "reads")
  .annotate(OpenApi.Summary, "List requests")
  .annotate(
    OpenApi.Description,
    [
      "Newest first. Pages by number shift when requests are added; pages by `cursor` neither miss nor repeat one.",
      "`expand=payloads` adds `input` and `output`, up to 16 MiB in one answer: requests that do not fit have `payloadsOmitted`.",
      "A key that is limited to some models lists only requests for these models."
    ].join(" ")
  )
  .annotate(OpenApi.Transform, withMetadata)

const paging = PageQuery.make(Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String }))

const tooManyExpanded = ErrorAnswer.busy("Too many lists with payloads are being made at the moment.", 5)

export const listRequests = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const history = yield* RequestHistory
    const urls = yield* PublicUrls
    const keptMs = yield* retentionMs

    return Effect.fnUntraced(function* ({ query, request }: Route.Call<typeof endpoint>, caller: Caller) {
      const parts = {
        filter: HistoryFilter.parse(query, request.url),
        expand: Expand.parse(expansions, query.expand),
        page: paging.parse(query)
      }
      const { expand, filter, page } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
      const found = yield* history
        .list({ caller, ...filter, ...page, expand })
        .pipe(Effect.catchTag("TooManyExpanded", () => tooManyExpanded))
      return Answer.list(
        200,
        paging.body(page, found, (item) => HistoryView.record({ ...urls, keptMs }, item))
      )
      // The memory of the page is released as soon as its text is made.
    }, Effect.scoped)
  })
)
