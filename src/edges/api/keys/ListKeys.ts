/** `GET /keys`: a page of the account's keys, newest first. Revoked keys stay in the list, so that every key is accounted for. */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"

const endpoint = HttpApiEndpoint.get("listKeys", "/keys", {
  query: ListParameters.page,
  success: KeyView.ListBody,
  error: CommonResponses.usual
}).annotateMerge(
  OpenApi.annotations({
    summary: "List keys",
    description:
      "Newest first, with revoked and expired keys. Pages by number shift when keys are added; pages by `cursor` neither miss nor repeat one.",
    transform: ListParameters.withForms(ListParameters.pageForms(PageQuery.usualLimit))
  })
)

const paging = PageQuery.make(Schema.Struct({ issuedAt: Schema.Int, keyId: Schema.String }))

export const listKeys = Route.make(endpoint, KeyRing, function* (keyRing, { query }, caller) {
  const page = yield* ErrorAnswer.orInvalid(paging.parse(query))
  const found = yield* keyRing.list({ caller, ...page })
  return Answer.json(200, paging.body(page, found, KeyView.record))
})
