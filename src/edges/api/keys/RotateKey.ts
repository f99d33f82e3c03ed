/** `POST /keys/{id}/rotate`: gives a key another secret, which the answer shows this once. */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { maxGraceMs } from "#domain/account/Key.ts"
import { KeyRing } from "#src/features/accounts/KeyRing.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as KeyRoute from "./KeyRoute.ts"

/** The default grace period in seconds: a day, as for signing secrets. */
const usualGraceSeconds = 24 * 60 * 60

const body = RequestBody.strict(
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

const endpoint = HttpApiEndpoint.post("rotateKey", "/keys/:keyId/rotate", {
  params: KeyRoute.params,
  payload: body.schema,
  success: KeyView.RotatedBody,
  error: [...CommonResponses.usualOfOne, ...CommonResponses.ofBodies, CommonResponses.conflict]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Rotate the secret of a key",
    description:
      "Valid at once, under the same id. The previous secret stays valid for a while; the one before it does not. A key cannot rotate a key that may do more than itself, nor rotate any key with a previous secret (403), nor a key that was revoked or has expired (409)."
  })
)

export const rotateKey = Route.make(endpoint, KeyRing, function* (keyRing, { params, request }, caller) {
  const { gracePeriodSeconds = usualGraceSeconds } = yield* RequestBody.read(body, request, {
    optional: true
  })
  const graceMs = gracePeriodSeconds * 1_000
  const rotated = yield* keyRing.rotate({ caller, id: params.keyId, graceMs })
  return Answer.json(200, {
    ...KeyView.opened(rotated),
    previousKeyExpiresAt: DateTime.formatNullable(rotated.previousExpiresAt)
  })
})
