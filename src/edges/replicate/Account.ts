/** `GET …/account` and the secret of webhooks. */
import { Effect, Redacted, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { SigningSecrets } from "#src/features/webhooks/SigningSecrets.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as Paths from "./Paths.ts"
import * as ReplicateErrors from "./ReplicateErrors.ts"

const account = HttpApiEndpoint.get("getReplicateAccount", `${Paths.root}/account`, {
  success: Schema.Struct({
    type: Schema.Literal("organization"),
    username: Schema.String.annotate({ description: "The id of the account." }),
    name: Schema.String
  }).annotate({ identifier: "ReplicateAccount", description: "The account of the key." }),
  error: ReplicateErrors.ofKeys
})
  .annotate(Requires, "requests:read")
  .annotate(OpenApi.Summary, "The account of the key")
  .annotate(OpenApi.Description, "Its id.")

export const getAccount = Route.prepared(
  account,
  Effect.succeed((_call: unknown, { accountId }: Caller) =>
    Effect.succeed(Answer.json(200, { type: "organization", username: accountId, name: accountId }))
  )
)

const secret = HttpApiEndpoint.get("getReplicateWebhookSecret", `${Paths.root}/webhooks/default/secret`, {
  success: Schema.Struct({
    key: Schema.String.annotate({ description: "`whsec_` and base64 text." })
  }).annotate({ identifier: "ReplicateWebhookSecret", description: "The secret in force." }),
  error: ReplicateErrors.ofKeys
})
  .annotate(Requires, "webhooks:read")
  .annotate(OpenApi.Summary, "The secret that webhooks are signed with")
  .annotate(OpenApi.Description, "For `validateWebhook`.")

export const getWebhookSecret = Route.make(secret, SigningSecrets, function* (secrets, _, { accountId }) {
  return Answer.json(200, { key: Redacted.value(yield* secrets.current(accountId)) })
})
