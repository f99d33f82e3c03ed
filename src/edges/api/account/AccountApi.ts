/** What an account has, what it was charged for, and every entry that led there (decisions, "Platform routes"). */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Granularity } from "#domain/CalendarTime.ts"
import { requestIdPattern } from "#domain/Ids.ts"
import { kinds } from "#projections/ledger/LedgerQueries.ts"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import { mostDays, usualGranularity } from "./UsageQuery.ts"
import { csvContentType } from "./ListBillingEvents.ts"
import * as BalanceView from "#src/features/billing/views/BalanceView.ts"
import * as BillingEventView from "#src/features/billing/views/BillingEventView.ts"
import * as UsageView from "#src/features/billing/views/UsageView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const balance = HttpApiEndpoint.get("getBalance", "/account/balance", {
  success: BalanceView.BalanceBody,
  error: everywhere
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getBalance",
    summary: "The balance",
    description: "What the account has, and what of it is reserved for requests that have not ended."
  })
)

const time = "A date-time with its offset, or a date (UTC)."

const usage = HttpApiEndpoint.get("getUsage", "/usage", {
  query: {
    start: ListParameters.text(`${time} 30 days before \`end\` by default.`),
    end: ListParameters.text(`${time} Now by default.`),
    granularity: ListParameters.text("How long a bucket is."),
    modelEndpoint: ListParameters.text("Of this model only: `owner/name`."),
    keyId: ListParameters.text("Of requests that were submitted with this key only.")
  },
  success: UsageView.UsageBody,
  error: everywhere
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getUsage",
    summary: "What was charged",
    description: [
      "By hour, day or month (UTC), model and unit. A request counts when it is charged, at that time; those that failed or were cancelled do not.",
      `The time is extended to whole buckets, and is at most ${mostDays.hour} days by hour, ${mostDays.day} days by day and ten years by month.`
    ].join(" "),
    transform: ListParameters.withForms({
      granularity: { enum: [...Granularity.literals], default: usualGranularity }
    })
  })
)

const csv = { schema: { type: "string", examples: [BillingEventView.csvHeader] } }

const varies = { schema: { type: "string", const: "accept" } }

/** An endpoint declares one type of its answer: the other is described by hand. */
const withCsv = (operation: Record<string, unknown>): Record<string, unknown> => {
  const responses = Object(operation["responses"])
  const answer = Object(responses[200])
  const content = { ...answer.content, [csvContentType]: csv }
  return {
    ...operation,
    responses: { ...responses, 200: { ...answer, headers: { vary: varies }, content } }
  }
}

const forms = ListParameters.withForms({
  ...ListParameters.pageForms(usualLimit),
  requestId: { pattern: requestIdPattern.source },
  type: { enum: [...kinds] }
})

const events = HttpApiEndpoint.get("listBillingEvents", "/billing/events", {
  query: {
    requestId: ListParameters.text("Of this request only."),
    type: ListParameters.text("Of this type only."),
    ...ListParameters.page
  },
  success: BillingEventView.ListBody,
  error: everywhere
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listBillingEvents",
    summary: "List billing events",
    description: [
      "Newest first: every entry of the account's ledger. Pages by number shift when entries are added; those by `cursor` neither miss nor repeat one.",
      "With `Accept: text/csv` as CSV (RFC 4180): the page when `page`, `limit` or `cursor` is given, else all entries there are, streamed."
    ].join(" "),
    transform: (operation) => withCsv(forms(operation))
  })
)

export class AccountApi extends HttpApiGroup.make("account")
  .add(balance, usage, events)
  .middleware(Authorization)
  .annotateEndpoints(Requires, "billing:read")
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Account",
      description: "The account's money: what there is, and what became of it."
    })
  ) {}
