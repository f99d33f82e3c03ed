/** `GET /keys`: a page of the account's keys, newest first; revoked ones too, so that each key there was is explained. */
import { Effect, Result, Schema } from "effect"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as ListView from "#src/platform/views/ListView.ts"

export interface ListKeysCall {
  readonly caller: Caller
  readonly query: PageQuery.PageQuery
}

const paging = {
  cursor: Cursor.make(Schema.Struct({ issuedAt: Schema.Int, keyId: Schema.String })),
  defaultLimit: PageQuery.usualLimit
}

export const make = Effect.gen(function* () {
  const keyRing = yield* KeyRing

  return Effect.fnUntraced(function* ({ caller, query }: ListKeysCall) {
    const asked = PageQuery.parse(query, paging)
    if (Result.isFailure(asked)) return yield* Refusal.invalid(asked.failure)
    const { limit, page } = asked.success
    const { items, next, total } = yield* keyRing.list({ caller, ...asked.success })
    const body = ListView.of({
      page,
      limit,
      total,
      data: items.map(KeyView.record),
      next: next === null ? null : paging.cursor.encode({ page: page + 1, after: next })
    })
    return Answer.json(200, body)
  })
})
