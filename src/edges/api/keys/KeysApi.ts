/** The account's API keys (decisions, "Platform routes"). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { longestGraceMs } from "#domain/account/Key.ts"
import { mostModels, usualGraceSeconds } from "./KeyBody.ts"
import { usualLimit } from "#src/edges/http/requests/PageQuery.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as KeyView from "#src/features/accounts/views/KeyView.ts"
import { Authorization } from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as ListParameters from "#src/edges/http/api/ListParameters.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const ofOneKey = [...everywhere, CommonResponses.notFound] as const

const ofBodies = [CommonResponses.timeout, CommonResponses.tooLarge, CommonResponses.unsupported] as const

const params = {
  keyId: Schema.String.annotate({ description: "The part of the key before the colon." })
}

const list = HttpApiEndpoint.get("listKeys", "/keys", {
  query: ListParameters.page,
  success: KeyView.ListBody,
  error: everywhere
}).annotateMerge(
  OpenApi.annotations({
    identifier: "listKeys",
    summary: "List keys",
    description:
      "Newest first, revoked and expired ones too. Pages by number shift when keys are added; those by `cursor` neither miss nor repeat one.",
    transform: ListParameters.withForms(ListParameters.pageForms(usualLimit))
  })
)

const get = HttpApiEndpoint.get("getKey", "/keys/:keyId", {
  params,
  success: KeyView.KeyBody,
  error: ofOneKey
}).annotateMerge(
  OpenApi.annotations({
    identifier: "getKey",
    summary: "One key",
    description: "As it is now, without its secret."
  })
)

const create = HttpApiEndpoint.post("createKey", "/keys", {
  payload: Schema.Struct({
    name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(100)),
    scopes: Schema.optionalKey(KeyView.scopes.check(Schema.isMinLength(1), Schema.isUnique())),
    modelEndpoints: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(Schema.String).check(
          Schema.isMinLength(1),
          Schema.isMaxLength(mostModels),
          Schema.isUnique()
        )
      ).annotate({ description: "`owner/model`, of models that may come later, too; null: every model." })
    ),
    monthlyBudget: Schema.optionalKey(
      Schema.NullOr(Schema.String).annotate({
        description: "USD above 0 with at most 9 decimals; null: as much as the account has."
      })
    ),
    expiresAt: Schema.optionalKey(
      Schema.NullOr(DateTime.DateTime).annotate({ description: "In the future; null: never." })
    )
  }).annotate({
    identifier: "NewApiKey",
    description: "What is left out is as it is with the key that the call is made with.",
    examples: [
      { name: "ci" },
      {
        name: "ocr in production",
        scopes: ["requests:write", "requests:read"],
        modelEndpoints: ["vision/ocr"],
        monthlyBudget: "25",
        expiresAt: "2026-07-01T00:00:00Z"
      }
    ]
  }),
  success: KeyView.IssuedBody.pipe(HttpApiSchema.status(201)),
  error: [...everywhere, ...ofBodies, CommonResponses.conflict]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "createKey",
    summary: "Create a key",
    description:
      "In force at once. Its secret is shown this once. No key gives more than it has itself, nor anything by a secret that was replaced (403). A budget bounds what one key spends: whoever may make keys is bounded by the account's balance alone. At most 100 keys of an account are neither revoked nor expired, and 10,000 are created by its keys over its life (409)."
  })
)

const rotate = HttpApiEndpoint.post("rotateKey", "/keys/:keyId/rotate", {
  params,
  payload: Schema.Struct({
    gracePeriodSeconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestGraceMs / 1_000 })).annotate({
        description: `How long the secret before stays good; ${usualGraceSeconds} by default.`
      })
    )
  }).annotate({
    identifier: "RotateApiKey",
    description: "May be left out altogether.",
    examples: [{ gracePeriodSeconds: 3_600 }]
  }),
  success: KeyView.RotatedBody,
  error: [...ofOneKey, ...ofBodies, CommonResponses.conflict]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "rotateKey",
    summary: "Give a key another secret",
    description:
      "In force at once, under the same id. The secret before stays good for a while, the one before that no more. No key rotates one that may more than itself, nor any by a secret that was replaced (403), nor one that was revoked or has expired (409)."
  })
)

const revoke = HttpApiEndpoint.delete("revokeKey", "/keys/:keyId", {
  params,
  success: HttpApiSchema.NoContent.annotate({ description: "It is revoked, or was before." }),
  error: ofOneKey
}).annotateMerge(
  OpenApi.annotations({
    identifier: "revokeKey",
    summary: "Revoke a key",
    description:
      "At once and for good. Any key of the account, also that which the call is made with, but none by a secret that was replaced (403). What it submitted goes on."
  })
)

export class KeysApi extends HttpApiGroup.make("keys")
  .add(list, get, create, rotate, revoke)
  .annotateEndpoints(Requires, "keys:admin")
  .middleware(Authorization)
  .annotate(ServedOn, ["platform"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Keys",
      description: "The account's API keys: what each may do, and its secret."
    })
  ) {}
