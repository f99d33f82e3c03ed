/** `GET /keys`: a page of the account's keys, newest first. Revoked keys stay in the list, so that every key is accounted for. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as Refusal from "#src/edges/http/Refusal.ts"
import * as Cursor from "#src/edges/http/requests/Cursor.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import * as ListView from "#src/platform/views/ListView.ts"
import * as KeyRoute from "./KeyRoute.ts"

const endpoint = HttpApiEndpoint.get("listKeys", "/keys", {
  query: ListParameters.page,
  success: KeyView.ListBody,
  error: KeyRoute.errors
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listKeys",
    summary: "List keys",
    description:
      "Newest first, with revoked and expired keys. Pages by number shift when keys are added; pages by `cursor` neither miss nor repeat one.",
    transform: ListParameters.withForms(ListParameters.pageForms(PageQuery.usualLimit))
  })
)

const paging = {
  cursor: Cursor.make(Schema.Struct({ issuedAt: Schema.Int, keyId: Schema.String })),
  defaultLimit: PageQuery.usualLimit
}

export const listKeys = Route.make(
  endpoint,
  Effect.gen(function* () {
    const keyRing = yield* KeyRing

    return Effect.fnUntraced(function* ({ query }: Route.Call<typeof endpoint>, caller: Caller) {
      const { after, limit, page } = yield* Refusal.orInvalid(PageQuery.parse(query, paging))
      const { items, next, total } = yield* keyRing.list({ caller, after, limit, page })
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
)
