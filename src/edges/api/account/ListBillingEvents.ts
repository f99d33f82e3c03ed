/** `GET /billing/events`: the account's ledger, newest first; as CSV a page of it, or all of it. */
import { Effect, Result, Schema, Stream } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import type { AccountId } from "#domain/Ids.ts"
import type { LedgerEntry } from "#projections/ledger/Ledger.ts"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Statements } from "#src/features/billing/Statements.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ConcurrentAnswers from "#src/edges/http/edge/ConcurrentAnswers.ts"
import * as LimitRefusals from "#src/edges/http/LimitRefusals.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as AcceptHeader from "#src/edges/http/requests/AcceptHeader.ts"
import * as BillingFilter from "./BillingFilter.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as BillingEventView from "#src/features/billing/views/BillingEventView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

export interface ListBillingEventsCall {
  readonly caller: Caller
  readonly query: BillingFilter.BillingQuery & PageQuery.PageQuery
  readonly request: HttpServerRequest
}

const paging = { cursor: Cursor.make(Schema.Int), defaultLimit: PageQuery.usualLimit }

const vary = { vary: "accept" }

const tooManyReaders = new Refusal.Refusal({
  status: 503,
  error: "Too many billing events are being read as CSV at the moment.",
  headers: { "retry-after": "5" }
})

/** Each reads the ledger again and again, on the thread that everything else runs on. */
const mostOfNode = 64

/** Of one account at once. */
const mostOfAccount = 4

const csvType = "text/csv"

/** RFC 4180, 3. */
export const csvContentType = `${csvType}; charset=utf-8; header=present`

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

export const make = Effect.gen(function* () {
  const statements = yield* Statements
  const all = ConcurrentAnswers.make<"node">(mostOfNode, tooManyReaders)
  const tooMany = LimitRefusals.tooManyExports({ limit: mostOfAccount, retryAfterSeconds: 5 })
  const own = ConcurrentAnswers.make<AccountId>(mostOfAccount, tooMany)

  return Effect.fnUntraced(function* ({ caller, query, request }: ListBillingEventsCall) {
    const parts = { filter: BillingFilter.parse(query), asked: PageQuery.parse(query, paging) }
    const parsed = Result.all(parts)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
    const { asked, filter } = parsed.success
    const type = AcceptHeader.preferred(request.headers["accept"], ["application/json", csvType])
    if (type === csvType && !isPaged(query)) {
      yield* own.admit(caller.accountId, request)
      yield* all.admit("node", request)
      return csv(yield* statements.allEntries({ caller, ...filter }), request.method)
    }
    const { items, next, total } = yield* statements.entries({ caller, ...filter, ...asked })
    if (type === csvType) return csv(Stream.succeed(items), request.method)
    const { limit, page } = asked
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map(BillingEventView.record),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.json(200, body, vary)
  })
})
