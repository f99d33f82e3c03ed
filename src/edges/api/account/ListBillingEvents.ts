/** `GET /billing/events`: the account's ledger, newest first, as JSON pages or as CSV (decisions, "Platform routes"). */
import { Effect, Schema, Stream } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { type AccountId, requestIdPattern } from "#domain/Ids.ts"
import type { LedgerEntry } from "#projections/ledger/Ledger.ts"
import { kinds } from "#projections/ledger/LedgerQueries.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as BillingEventView from "#src/features/billing/views/BillingEventView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ConcurrentAnswers from "#src/edges/http/edge/ConcurrentAnswers.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"

const csvType = "text/csv"

/** RFC 4180, 3. */
const csvContentType = `${csvType}; charset=utf-8; header=present`

const vary = { vary: "accept" }

/** Adds the CSV answer by hand, because an endpoint declares one type of its answer. */
const withCsv = (operation: Record<string, unknown>): Record<string, unknown> => {
  const responses = Object(operation["responses"])
  const answer = Object(responses[200])
  const csv = { schema: { type: "string", examples: [BillingEventView.csvHeader] } }
  const headers = { vary: { schema: { type: "string", const: vary.vary } } }
  return {
    ...operation,
    responses: {
      ...responses,
      200: { ...answer, headers, content: { ...answer.content, [csvContentType]: csv } }
    }
  }
}

const endpoint = HttpApiEndpoint.get("listBillingEvents", "/billing/events", {
  query: {
    requestId: ListParameters.text("Only this request.", { pattern: requestIdPattern.source }),
    type: ListParameters.text("Only this type.", { enum: [...kinds] }),
    ...ListParameters.page
  },
  success: BillingEventView.ListBody,
  error: CommonResponses.usual
})
  .annotate(OpenApi.Summary, "List billing events")
  .annotate(
    OpenApi.Description,
    [
      "Every entry of the account's ledger, newest first. Pages by number shift when entries are added; pages by `cursor` neither miss nor repeat one.",
      "With `Accept: text/csv` the answer is CSV (RFC 4180): one page when `page`, `limit` or `cursor` is given, otherwise all entries, streamed."
    ].join(" ")
  )
  .annotate(OpenApi.Transform, withCsv)

const paging = PageQuery.make(Schema.Int)

/** Each reader repeatedly reads the ledger on the server's main thread. */
const mostOfNode = 64

const mostOfAccount = 4

const tooManyReaders = ErrorAnswer.busy("Too many billing events are being read as CSV at the moment.", 5)

const csvHeaders = {
  ...vary,
  "cache-control": "no-store",
  "content-disposition": 'attachment; filename="billing-events.csv"'
}

const csv = <E>(pages: Stream.Stream<ReadonlyArray<LedgerEntry>, E>, method: string) => {
  if (method === "HEAD") {
    return HttpServerResponse.empty({
      status: 200,
      headers: { ...csvHeaders, "content-type": csvContentType }
    })
  }
  const lines = Stream.map(pages, (entries) => entries.map(BillingEventView.csvLine).join(""))
  const body = Stream.concat(Stream.succeed(BillingEventView.csvHeader), lines)
  return HttpServerResponse.stream(Stream.encodeText(body), {
    contentType: csvContentType,
    headers: csvHeaders
  })
}

const isPaged = ({ cursor, limit, page }: PageQuery.PageQuery): boolean =>
  cursor !== undefined || limit !== undefined || page !== undefined

export const listBillingEvents = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const statements = yield* Statements
    const all = ConcurrentAnswers.make<"node">(mostOfNode, tooManyReaders)
    const tooMany = LimitErrorAnswers.tooManyExports({ limit: mostOfAccount, retryAfterSeconds: 5 })
    const own = ConcurrentAnswers.make<AccountId>(mostOfAccount, tooMany)

    return Effect.fnUntraced(function* ({ query, request }: Route.Call<typeof endpoint>, caller: Caller) {
      const parts = {
        requestId: QueryFields.requestId(query.requestId),
        kind: QueryFields.oneOf("type", kinds, query.type),
        page: paging.parse(query)
      }
      const { page, ...filter } = yield* ErrorAnswer.orInvalid(Parsed.all(parts))
      const type = AcceptHeader.preferred(request.headers["accept"], ["application/json", csvType])
      if (type === csvType && !isPaged(query)) {
        yield* own.admit(caller.accountId, request)
        yield* all.admit("node", request)
        return csv(yield* statements.allEntries({ caller, ...filter }), request.method)
      }
      const found = yield* statements.entries({ caller, ...filter, ...page })
      if (type === csvType) return csv(Stream.succeed(found.items), request.method)
      return Answer.json(200, paging.body(page, found, BillingEventView.record), vary)
    })
  })
)
