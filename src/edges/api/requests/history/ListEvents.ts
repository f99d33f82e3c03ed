/** `GET /requests/{id}/events`: a page of what happened to a request, oldest first (decisions, "Timeline"). */
import { Effect, Result } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import * as Timeline from "#src/features/requests/Timeline.ts"
import * as GlobalPosition from "#streams/GlobalPosition.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as Parsed from "#src/edges/http/requests/Parsed.ts"
import * as QueryFields from "#src/edges/http/requests/QueryFields.ts"
import * as RequestIdParam from "../RequestIdParam.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as TimelineView from "#src/features/requests/views/TimelineView.ts"

export interface ListEventsCall {
  readonly caller: Caller
  readonly params: { readonly requestId: string }
  readonly query: PageQuery.PageQuery & { readonly type?: string | undefined }
}

const paging = {
  cursor: Cursor.make(GlobalPosition.GlobalPosition),
  defaultLimit: PageQuery.usualLimit
}

const types = [...Timeline.types].sort()

export const make = Effect.gen(function* () {
  const timeline = yield* Timeline.Timeline

  return Effect.fnUntraced(function* ({ caller, params, query }: ListEventsCall) {
    const id = yield* Effect.fromResult(RequestIdParam.parse(params.requestId))
    const parts = {
      type: QueryFields.oneOf("type", types, query.type),
      asked: PageQuery.parse(query, paging)
    }
    const parsed = Result.all(parts)
    if (Result.isFailure(parsed)) return yield* Refusal.invalid(Parsed.issues(parts))
    const { asked, type } = parsed.success
    const { items, next, total } = yield* timeline.read({ caller, id, type, ...asked })
    const { limit, page } = asked
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map(TimelineView.event),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.json(200, body)
  })
})
