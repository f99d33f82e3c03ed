/** The requests of an account (decisions, "History"). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Status } from "#domain/inference-request/Status.ts"
import { expansions } from "#src/features/requests/ListedRequest.ts"
import { mostMetadata } from "./HistoryFilter.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as HistoryView from "#src/features/requests/views/HistoryView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const dateTime = { type: "string", format: "date-time" }

const withForms = ListParameters.withForms({
  ...ListParameters.pageForms(PageQuery.usualLimit),
  status: { enum: [...Status.literals] },
  createdAfter: dateTime,
  createdBefore: dateTime
})

/** Its name is not one name: to the declared schemas it is unknown. */
const metadata = {
  name: "metadata.{key}",
  in: "query",
  required: false,
  schema: { type: "string" },
  description: `With that value under that key of \`X-Request-Metadata\`; at most ${mostMetadata} keys.`
}

const withMetadata = (operation: Record<string, unknown>): Record<string, unknown> => {
  const { parameters } = operation
  return { ...operation, parameters: [...(Array.isArray(parameters) ? parameters : []), metadata] }
}

const list = HttpApiEndpoint.get("listRequests", "/requests", {
  query: {
    status: ListParameters.text("In this status only."),
    modelEndpoint: ListParameters.text("Of this model only, `{owner}/{model}`."),
    createdAfter: ListParameters.text(
      "Accepted after then, a date-time with its offset, or a date: its midnight in UTC."
    ),
    createdBefore: ListParameters.text("Accepted before then."),
    expand: ListParameters.texts(`What is shown beside: ${expansions.join(", ")}, with commas between them.`),
    ...ListParameters.page
  },
  success: HistoryView.ListBody,
  error: [
    CommonResponses.badRequest,
    CommonResponses.unauthorized,
    CommonResponses.forbidden,
    CommonResponses.unexpected,
    CommonResponses.unavailable
  ]
})
  .annotate(Requires, "requests:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listRequests",
      summary: "List requests",
      description: [
        "Newest first. Pages by number shift when requests are added; those by `cursor` neither miss nor repeat one.",
        "`expand=payloads` adds `input` and `output`, 16 MiB in one answer: what does not fit has `payloadsOmitted`.",
        "A key of some models sees the requests of those alone."
      ].join(" "),
      transform: (operation) => withMetadata(withForms(operation))
    })
  )

export class HistoryApi extends HttpApiGroup.make("history")
  .add(list)
  .middleware(Authorization)
  .annotate(ServedOn, ["platform"])
  // `metadata.<key>`, which `HistoryFilter` reads, and says what is wrong with.
  .annotate(TakesQuery, (name) => /^metadata/i.test(name))
  .annotateMerge(
    OpenApi.annotations({
      title: "History",
      description: "All requests of an account."
    })
  ) {}
