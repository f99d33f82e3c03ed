/** The addresses to which clients send browsers for an authorization (OAuth 2.1, 4.1). `SignInApi` has the pages. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import * as Paths from "../Paths.ts"
import { page, sentOn } from "./PageResponses.ts"
import { AnswersHead, anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

/** The provider handles a repeated parameter. */
const asked = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)]).annotate({ description }))

const refused = page(
  400,
  "A page: the client is unknown, its redirect address is not one that it registered, a parameter is longer than 2,048 bytes, or what is wrong would be told at an address that is not of the browser's own computer."
)
const unknown = page(401, "A page: the client is unknown.")
const tooMany = page(429, "A page: too many sign-ins begin. Retry after `Retry-After` seconds.")
const unexpected = page(500, "A page: unexpected server error.")
const unavailable = page(
  503,
  "A page: the service cannot reach its storage. Retry after `Retry-After` seconds."
)

const authorize = HttpApiEndpoint.get("authorize", Paths.authorize, {
  query: {
    response_type: asked("`code`."),
    client_id: asked("A registered client."),
    redirect_uri: asked("A registered address; on the loopback interface with any port."),
    code_challenge: asked("The SHA-256 of the verifier, in base64url (RFC 7636)."),
    code_challenge_method: asked("`S256`."),
    state: asked("Returned unchanged; at most 2,048 bytes."),
    resource: asked("The resource in the protected-resource metadata, or none (RFC 8707)."),
    scope: asked("Always `mcp`."),
    prompt: asked("`none` fails with `login_required`. Other values are ignored.")
  },
  success: sentOn("To the sign-in page, or back to a client on the loopback interface with an `error`."),
  error: [refused, unknown, tooMany, unexpected, unavailable]
})
  .annotate(AnswersHead, false)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "authorize",
      summary: "Ask for access",
      description:
        "For browsers. Every authorization asks the user: `prompt=none` fails with `login_required`."
    })
  )

const resume = HttpApiEndpoint.get("resumeAuthorization", `${Paths.authorize}/:uid`, {
  params: { uid: Schema.String.annotate({ description: "The id of the authorization." }) },
  success: sentOn("Back to the client, with `code` or `error`, `state` and `iss`."),
  error: [refused, unexpected, unavailable]
})
  .annotate(AnswersHead, false)
  .annotateMerge(
    OpenApi.annotations({
      identifier: "resumeAuthorization",
      summary: "Go back to the client",
      description:
        "The address to which the sign-in page redirects the browser. A cookie identifies the browser."
    })
  )

export class AuthorizeApi extends HttpApiGroup.make("authorize")
  .add(authorize, resume)
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(
    OpenApi.annotations({ title: "Authorization", description: "Where clients send browsers." })
  ) {}
