/** `GET /requests`: a page of the account's requests, newest first (decisions, "History"). */
import { Effect, Result, Schema } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import { RequestHistory } from "#src/features/requests/RequestHistory.ts"
import { retentionMs } from "#src/kernel/settings/RetentionTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as HistoryFilter from "./HistoryFilter.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as HistoryView from "#src/features/requests/views/HistoryView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

export interface ListRequestsCall {
  readonly caller: Caller
  readonly query: HistoryFilter.HistoryQuery & PageQuery.PageQuery
  /** Of the request: its path, with the query. */
  readonly url: string
}

const paging = {
  cursor: Cursor.make(Schema.Struct({ createdAt: Schema.Int, requestId: Schema.String })),
  defaultLimit: PageQuery.usualLimit
}

const tooManyExpanded = new Refusal.Refusal({
  status: 503,
  error: "Too many lists with payloads are being made at the moment.",
  headers: { "retry-after": "5" }
})

export const make = Effect.gen(function* () {
  const history = yield* RequestHistory
  const urls = yield* PublicUrls
  const keptMs = yield* retentionMs

  const answer = Effect.fnUntraced(function* ({ caller, query, url }: ListRequestsCall) {
    const parts = {
      filter: HistoryFilter.parse(query, url),
      expand: HistoryFilter.parseExpand(query.expand),
      asked: PageQuery.parse(query, paging)
    }
    const parsed = Result.all(parts)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
    const { asked, expand, filter } = parsed.success
    const { items, next, total } = yield* history
      .list({ caller, ...filter, ...asked, expand })
      .pipe(Effect.catchTag("TooManyExpanded", () => tooManyExpanded))
    const { limit, page } = asked
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map((item) => HistoryView.record({ ...urls, keptMs }, item)),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.list(200, body)
  })

  // What a page takes up is given back once its answer is text.
  return (call: ListRequestsCall) => Effect.scoped(answer(call))
})
