/** The secret that the account's webhooks are signed with: `/webhooks/default/secret`. */
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { defaultGraceMs } from "#domain/account/SigningSecret.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"

const exampleKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const key = Schema.String.annotate({ description: "`whsec_` and base64 text." })

const getEndpoint = HttpApiEndpoint.get("getSigningSecret", "/webhooks/default/secret", {
  success: Schema.Struct({ key }).annotate({
    identifier: "SigningSecret",
    description: "The secret in force.",
    examples: [{ key: exampleKey }]
  }),
  error: CommonResponses.usual
})
  .annotate(Requires, "webhooks:read")
  .annotate(OpenApi.Summary, "The signing secret")
  .annotate(
    OpenApi.Description,
    "The secret that signs the account's webhooks (Standard Webhooks), created when it is first needed. 500 if it cannot be opened any more: then rotate it."
  )

export const getSigningSecret = Route.make(
  getEndpoint,
  SigningSecrets,
  function* (secrets, _, { accountId }) {
    return Answer.json(200, { key: Redacted.value(yield* secrets.current(accountId)) })
  }
)

const mostGraceSeconds = defaultGraceMs / 1_000

/** A misspelled `grace` would leave a secret valid that may have leaked. */
const body = RequestBody.strict(
  Schema.Struct({
    grace: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostGraceSeconds })).annotate({
        description: `The longest time that previous secrets stay valid, in seconds; ${mostGraceSeconds} by default. 0: they are invalid at once.`
      })
    )
  }).annotate({
    identifier: "RotateSigningSecret",
    description: "May be absent.",
    examples: [{ grace: 0 }]
  })
)

const rotateEndpoint = HttpApiEndpoint.post("rotateSigningSecret", "/webhooks/default/secret/rotate", {
  payload: body.schema,
  success: Schema.Struct({
    key,
    previousKeyExpiresAt: Schema.NullOr(DateTime.DateTime).annotate({
      description: "Until then deliveries are also signed with the previous secret; null if there is none."
    })
  }).annotate({
    identifier: "RotatedSigningSecret",
    description: "The new secret, valid at once.",
    examples: [
      { key: exampleKey, previousKeyExpiresAt: "2026-01-06T12:00:00.000Z" },
      { key: exampleKey, previousKeyExpiresAt: null }
    ]
  }),
  error: [...CommonResponses.usual, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "webhooks:write")
  .annotate(OpenApi.Summary, "Rotate the signing secret")
  .annotate(
    OpenApi.Description,
    "Valid at once. The previous secret stays valid for `grace` seconds, unless it cannot be opened. At most ten are valid at a time; the oldest is dropped."
  )

export const rotateSigningSecret = Route.make(
  rotateEndpoint,
  SigningSecrets,
  function* (secrets, { request }, { accountId }) {
    const { grace = mostGraceSeconds } = yield* RequestBody.read(body, request, { optional: true })
    const { key, previousKeyExpiresAt } = yield* secrets.rotate(accountId, grace * 1_000)
    return Answer.json(200, {
      key: Redacted.value(key),
      previousKeyExpiresAt: DateTime.formatNullable(previousKeyExpiresAt)
    })
  }
)
