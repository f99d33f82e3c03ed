/** `GET /assistants`, `DELETE /assistants/{id}`: the assistants that are signed in to the account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Authorization from "#src/edges/http/api/Authorization.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires, ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import { Assistants } from "../Assistants.ts"

const Assistant = Schema.Struct({
  id: Schema.String,
  name: Schema.NullOr(Schema.String).annotate({
    description: "As the assistant has named itself; null if it has not."
  }),
  keyId: Schema.String.annotate({ description: "The key under which it acts, and with which it ends." }),
  signedInWith: Schema.Literals(["key", "password"]).annotate({
    description: "After a sign-in with the password, the assistant has a key of its own."
  }),
  signedInAt: DateTime.DateTime
}).annotate({ identifier: "Assistant", description: "A sign-in of an assistant." })

const ListBody = Schema.Struct({ data: Schema.Array(Assistant) }).annotate({
  identifier: "Assistants",
  description: "The sign-ins in force, newest first, at most 200.",
  examples: [
    {
      data: [
        {
          id: "n4bQgYhMfWWaL-qgxVrQFQ",
          name: "An assistant",
          keyId: "key_0123456789abcdef_aB3dE5gH",
          signedInWith: "password",
          signedInAt: "2026-01-05T12:00:00.000Z"
        }
      ]
    }
  ]
})

const listEndpoint = HttpApiEndpoint.get("listAssistants", "/assistants", {
  success: ListBody,
  error: CommonResponses.usual
})
  .annotate(OpenApi.Summary, "List assistants")
  .annotate(
    OpenApi.Description,
    "The assistants that are signed in to the account by OAuth, on the node that answers."
  )

const list = Route.make(listEndpoint, Assistants, function* (assistants, _call, caller) {
  const found = yield* assistants.list(caller.accountId)
  return Answer.json(200, {
    data: found.map(({ clientName, id, keyId, ownsKey, signedInAt }) => ({
      id,
      name: clientName,
      keyId,
      signedInWith: ownsKey ? "password" : "key",
      signedInAt: DateTime.format(signedInAt)
    }))
  } satisfies typeof ListBody.Type)
})

const endEndpoint = HttpApiEndpoint.delete("endAssistant", "/assistants/:assistantId", {
  params: { assistantId: Schema.String.annotate({ description: "Of `GET /assistants`." }) },
  success: HttpApiSchema.NoContent.annotate({ description: "The assistant is signed out." }),
  error: CommonResponses.usualOfOne
})
  .annotate(OpenApi.Summary, "Sign an assistant out")
  .annotate(
    OpenApi.Description,
    "Its tokens are invalid at once. A key that was issued for it is revoked; the key that it was signed in with stays valid."
  )

const unknown = ErrorAnswer.notFound("Assistant")

const end = Route.make(endEndpoint, Assistants, function* (assistants, { params }, caller) {
  if (!(yield* assistants.end(caller.accountId, params.assistantId))) return yield* unknown
  return Answer.empty(204, { "cache-control": "no-store" })
})

const routes = [list, end] as const

export class AssistantsApi extends HttpApiGroup.make("assistants")
  .add(...Route.endpointsOf(routes))
  .annotateEndpoints(Requires, "keys:admin")
  .middleware(Authorization.Authorization)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Title, "Assistants")
  .annotate(OpenApi.Description, "Assistants that are signed in to the account.") {}

export const layer = DeclaredRoutes.layer(Authorization.admit, routes)
