/** `GET /keys/{id}`: one key, without its secret. */
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as KeyRoute from "./KeyRoute.ts"

const endpoint = HttpApiEndpoint.get("getKey", "/keys/:keyId", {
  params: KeyRoute.params,
  success: KeyView.KeyBody,
  error: CommonResponses.usualOfOne
}).annotateMerge(
  OpenApi.annotations({
    summary: "One key",
    description: "The current state, without the secret."
  })
)

export const getKey = Route.make(endpoint, KeyRing, function* (keyRing, { params }, caller) {
  return Answer.json(200, KeyView.record(yield* keyRing.get({ caller, id: params.keyId })))
})
