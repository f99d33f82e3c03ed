/** `DELETE /keys/{id}`: revokes a key. Repeated, it answers 204 again. */
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as KeyRoute from "./KeyRoute.ts"

const endpoint = HttpApiEndpoint.delete("revokeKey", "/keys/:keyId", {
  params: KeyRoute.params,
  success: HttpApiSchema.NoContent.annotate({ description: "The key is revoked, now or earlier." }),
  error: CommonResponses.usualOfOne
}).annotateMerge(
  OpenApi.annotations({
    summary: "Revoke a key",
    description:
      "At once and for good. A key may revoke any key of its account, itself included, but not with a previous secret (403). Requests that the key submitted continue."
  })
)

export const revokeKey = Route.make(endpoint, KeyRing, function* (keyRing, { params }, caller) {
  yield* keyRing.revoke({ caller, id: params.keyId })
  return Answer.empty(204, { "cache-control": "no-store" })
})
