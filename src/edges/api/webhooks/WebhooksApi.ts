/** What becomes of webhooks, and what they are signed with (contract, "Webhook management"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import { DeliveryStatus } from "#projections/deliveries/DeliveryItem.ts"
import { mostGraceSeconds } from "./RotateSecretBody.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as DeliveryView from "#src/features/webhooks/views/DeliveryView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const ofOneDelivery = [...everywhere, CommonResponses.notFound] as const

const params = {
  deliveryId: Schema.String.annotate({ description: "The `webhook-id` that receivers get." })
}

const list = HttpApiEndpoint.get("listDeliveries", "/webhooks/deliveries", {
  query: {
    requestId: ListParameters.text("Of this request only."),
    status: ListParameters.text("In this status only."),
    event: ListParameters.text("Of this event only."),
    ...ListParameters.page
  },
  success: DeliveryView.ListBody,
  error: everywhere
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "listDeliveries",
      summary: "List deliveries",
      description:
        "Newest first. Pages by number shift when deliveries are added; those by `cursor` neither miss nor repeat one.",
      transform: ListParameters.withForms({
        ...ListParameters.pageForms(10),
        status: { enum: [...DeliveryStatus.literals] },
        event: { enum: [...WebhookEventName.literals] }
      })
    })
  )

const get = HttpApiEndpoint.get("getDelivery", "/webhooks/deliveries/:deliveryId", {
  params,
  success: DeliveryView.DetailedBody,
  error: ofOneDelivery
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getDelivery",
      summary: "One delivery with its attempts",
      description: "As it is now, with the attempts that were made."
    })
  )

const replay = HttpApiEndpoint.post("replayDelivery", "/webhooks/deliveries/:deliveryId/replay", {
  params,
  success: DeliveryView.DeliveryBody.pipe(HttpApiSchema.status(202)),
  error: [...ofOneDelivery, CommonResponses.conflict, CommonResponses.gone]
})
  .annotate(Requires, "webhooks:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "replayDelivery",
      summary: "Send a delivery again",
      description:
        "Whatever became of it: the same `webhook-id` and body, signed afresh, with ten more attempts. Needs no body."
    })
  )

const dateTime = (description: string) => DateTime.DateTime.annotate({ description })

const recover = HttpApiEndpoint.post("recoverDeliveries", "/webhooks/deliveries/recover", {
  payload: Schema.Struct({
    since: dateTime("Deliveries created from then on."),
    until: Schema.optionalKey(dateTime("And before then; now by default."))
  }).annotate({
    identifier: "RecoverBody",
    description: "A time, as date-times with an offset.",
    examples: [{ since: "2026-01-05T12:00:00Z", until: "2026-01-05T14:00:00+01:00" }]
  }),
  success: Schema.Struct({
    count: Schema.Int.annotate({ description: "Deliveries that are sent again." })
  })
    .annotate({
      identifier: "Recovery",
      description: "Accepted; it goes on after the answer.",
      examples: [{ count: 3 }]
    })
    .pipe(HttpApiSchema.status(202)),
  error: [...everywhere, CommonResponses.timeout, CommonResponses.tooLarge, CommonResponses.unsupported]
})
  .annotate(Requires, "webhooks:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "recoverDeliveries",
      summary: "Send all failed deliveries again",
      description: "Every delivery that was created in that time and has `failed`, as if each were replayed."
    })
  )

const exampleKey = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
const key = Schema.String.annotate({ description: "`whsec_` and base64 text." })

const secret = HttpApiEndpoint.get("getSigningSecret", "/webhooks/default/secret", {
  success: Schema.Struct({ key }).annotate({
    identifier: "SigningSecret",
    description: "The secret in force.",
    examples: [{ key: exampleKey }]
  }),
  error: everywhere
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "getSigningSecret",
      summary: "The signing secret",
      description:
        "What the account's webhooks are signed with (Standard Webhooks), made when it is first needed. 500 when it cannot be opened any more: rotate then."
    })
  )

const rotate = HttpApiEndpoint.post("rotateSigningSecret", "/webhooks/default/secret/rotate", {
  payload: Schema.Struct({
    grace: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: mostGraceSeconds })).annotate({
        description: `How long the secrets before stay valid at most, seconds; ${mostGraceSeconds} by default. 0: they are invalid at once.`
      })
    )
  }).annotate({
    identifier: "RotateSigningSecret",
    description: "May be left out altogether.",
    examples: [{ grace: 0 }]
  }),
  success: Schema.Struct({
    key,
    previousKeyExpiresAt: Schema.NullOr(DateTime.DateTime).annotate({
      description:
        "Until then deliveries are signed with the secret before, too; null when there was none, or none is kept."
    })
  }).annotate({
    identifier: "RotatedSigningSecret",
    description: "The new secret, in force at once.",
    examples: [
      { key: exampleKey, previousKeyExpiresAt: "2026-01-06T12:00:00.000Z" },
      { key: exampleKey, previousKeyExpiresAt: null }
    ]
  }),
  error: [...everywhere, CommonResponses.timeout, CommonResponses.tooLarge, CommonResponses.unsupported]
})
  .annotate(Requires, "webhooks:write")
  .annotateMerge(
    OpenApi.annotations({
      identifier: "rotateSigningSecret",
      summary: "Rotate the signing secret",
      description:
        "In force at once. The secret before stays valid for `grace` seconds, unless it cannot be opened. At most ten are valid at a time: the oldest gives way."
    })
  )

export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .add(list, get, replay, recover, secret, rotate)
  .middleware(Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Deliveries of webhooks: what became of them, and sending them again."
    })
  ) {}
