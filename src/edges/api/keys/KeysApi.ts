/** The account's API keys (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { maxGraceMs } from "#domain/account/Key.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as PageQuery from "#src/edges/http/requests/PageQuery.ts"
import { createKey } from "./CreateKey.ts"
import { createToken } from "./CreateToken.ts"

/** What the routes of keys have in common. */
const paramsOfKey = {
  keyId: Schema.String.annotate({ description: "The part of the key before the colon." })
}

/** `GET /keys`: a page of the account's keys, newest first. Revoked keys stay in the list, so that every key is accounted for. */
const listKeysEndpoint = HttpApiEndpoint.get("listKeys", "/keys", {
  query: ListParameters.page,
  success: KeyView.ListBody,
  error: CommonResponses.usual
})
  .annotate(OpenApi.Summary, "List keys")
  .annotate(
    OpenApi.Description,
    "Newest first, with revoked and expired keys. Pages by number shift when keys are added; pages by `cursor` neither miss nor repeat one."
  )

const paging = PageQuery.make(Schema.Struct({ issuedAt: Schema.Int, keyId: Schema.String }))

const listKeys = Route.make(listKeysEndpoint, KeyRing, function* (keyRing, { query }, caller) {
  const page = yield* ErrorAnswer.orInvalid(paging.parse(query))
  const found = yield* keyRing.list({ caller, ...page })
  return Answer.json(200, paging.body(page, found, KeyView.record))
})

/** `GET /keys/{id}`: one key, without its secret. */
const getKeyEndpoint = HttpApiEndpoint.get("getKey", "/keys/:keyId", {
  params: paramsOfKey,
  success: KeyView.KeyBody,
  error: CommonResponses.usualOfOne
})
  .annotate(OpenApi.Summary, "One key")
  .annotate(OpenApi.Description, "The current state, without the secret.")

const getKey = Route.make(getKeyEndpoint, KeyRing, function* (keyRing, { params }, caller) {
  return Answer.json(200, KeyView.record(yield* keyRing.get({ caller, id: params.keyId })))
})

/** `DELETE /keys/{id}`: revokes a key. Repeated, it answers 204 again. */
const revokeKeyEndpoint = HttpApiEndpoint.delete("revokeKey", "/keys/:keyId", {
  params: paramsOfKey,
  success: HttpApiSchema.NoContent.annotate({ description: "The key is revoked, now or earlier." }),
  error: CommonResponses.usualOfOne
})
  .annotate(OpenApi.Summary, "Revoke a key")
  .annotate(
    OpenApi.Description,
    "Takes effect at once and permanently. A key may revoke any key of its account, itself included, but not with a previous secret (403). Requests that the key submitted continue."
  )

const revokeKey = Route.make(revokeKeyEndpoint, KeyRing, function* (keyRing, { params }, caller) {
  yield* keyRing.revoke({ caller, id: params.keyId })
  return Answer.empty(204, { "cache-control": "no-store" })
})

/** The default grace period in seconds: a day, as for signing secrets. */
const usualGraceSeconds = 24 * 60 * 60

const rotateKeyBody = RequestBody.strict(
  Schema.Struct({
    gracePeriodSeconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: maxGraceMs / 1_000 })).annotate({
        description: `How long the previous secret stays valid; ${usualGraceSeconds} by default.`
      })
    )
  }).annotate({
    identifier: "RotateApiKey",
    description: "May be absent.",
    examples: [{ gracePeriodSeconds: 3_600 }]
  })
)

const rotateKeyEndpoint = HttpApiEndpoint.post("rotateKey", "/keys/:keyId/rotate", {
  params: paramsOfKey,
  payload: rotateKeyBody.schema,
  success: KeyView.RotatedBody,
  error: [...CommonResponses.usualOfOne, ...CommonResponses.ofBodies, CommonResponses.conflict]
})
  .annotate(OpenApi.Summary, "Rotate the secret of a key")
  .annotate(
    OpenApi.Description,
    "Valid at once, under the same id. The previous secret stays valid for a while; the one before it does not. A key cannot rotate a key that may do more than itself, nor rotate any key with a previous secret (403), nor a key that was revoked or has expired (409)."
  )

const rotateKey = Route.make(rotateKeyEndpoint, KeyRing, function* (keyRing, { params, request }, caller) {
  const { gracePeriodSeconds = usualGraceSeconds } = yield* RequestBody.read(rotateKeyBody, request, {
    optional: true
  })
  const graceMs = gracePeriodSeconds * 1_000
  const rotated = yield* keyRing.rotate({ caller, id: params.keyId, graceMs })
  return Answer.json(200, {
    ...KeyView.opened(rotated),
    previousKeyExpiresAt: DateTime.formatNullable(rotated.previousExpiresAt)
  })
})

const routes = [listKeys, getKey, createKey, rotateKey, revokeKey] as const

/** They need other scopes than the routes of keys. */
const ofTokens = [createToken] as const

export class KeysApi extends HttpApiGroup.make("keys")
  .add(...Route.endpointsOf(routes))
  .annotateEndpoints(Requires, "keys:admin")
  .add(...Route.endpointsOf(ofTokens))
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Keys")
  .annotate(OpenApi.Description, "The account's API keys, their rights and secrets, and tokens for pages.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, [...routes, ...ofTokens] as const)
