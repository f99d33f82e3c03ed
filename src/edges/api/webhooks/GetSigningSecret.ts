/** `GET /webhooks/default/secret`: the secret that the account's webhooks are signed with. */
import { Redacted, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import { exampleKey, key } from "./SigningSecretRoute.ts"

const endpoint = HttpApiEndpoint.get("getSigningSecret", "/webhooks/default/secret", {
  success: Schema.Struct({ key }).annotate({
    identifier: "SigningSecret",
    description: "The secret in force.",
    examples: [{ key: exampleKey }]
  }),
  error: CommonResponses.usual
})
  .annotate(Requires, "webhooks:read")
  .annotateMerge(
    OpenApi.annotations({
      summary: "The signing secret",
      description:
        "The secret that signs the account's webhooks (Standard Webhooks), created when it is first needed. 500 if it cannot be opened any more: then rotate it."
    })
  )

export const getSigningSecret = Route.make(endpoint, SigningSecrets, function* (secrets, _, { accountId }) {
  return Answer.json(200, { key: Redacted.value(yield* secrets.current(accountId)) })
})
