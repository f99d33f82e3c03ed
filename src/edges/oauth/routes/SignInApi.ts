/** The pages on which users sign in assistants (contract, "Assistant-tool server"; OAuth 2.1, 4.1). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as Paths from "../Paths.ts"
import { page, sentOn } from "./PageResponses.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"

const described = (description: string) => Schema.String.annotate({ description })
const optional = (description: string) => Schema.optionalKey(described(description))

const path = `${Paths.interaction}/:uid` as const
const params = { uid: described("The id of the authorization.") }

const gone = page(
  410,
  "The authorization has ended or expired, or was begun in another browser: start again in the assistant."
)
const unexpected = page(500, "Unexpected server error, logged with the id that the page shows.")
const unavailable = page(503, "Storage cannot be reached: retry after `Retry-After` seconds.")

const show = HttpApiEndpoint.get("showSignIn", path, {
  params,
  success: page(200, "Who asks for what, and a form to sign in and decide."),
  error: [gone, unexpected, unavailable]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "showSignIn",
    summary: "Sign in and decide",
    description: `Where \`${Paths.authorize}\` sends the browser; known by the cookie that was set there.`
  })
)

const submit = HttpApiEndpoint.post("submitSignIn", path, {
  params,
  payload: Schema.Struct({
    csrf: described("The token in the form."),
    decision: Schema.Literals(["allow", "deny"]),
    api_key: optional("To sign in with a key."),
    account: optional("To sign in with the account's password when there is no key."),
    password: optional("The account's password.")
  }).pipe(HttpApiSchema.asFormUrlEncoded()),
  success: [page(200, "To a browser's navigation: a page that takes it on."), sentOn("Decided.")],
  error: [
    page(400, "Nothing to sign in with, or no form that could be read."),
    page(403, "Credentials that open nothing, or a form of another page."),
    page(408, "The form did not arrive in time."),
    page(409, "The account has as many keys as it may have."),
    gone,
    page(413, "The form is larger than 16 KiB."),
    page(415, "No form."),
    page(429, "Too many sign-ins have failed: retry after `Retry-After` seconds."),
    unexpected,
    unavailable
  ]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "submitSignIn",
    summary: "Send the form",
    description:
      "Only from the sign-in page: other origins are refused. Wrong credentials show the page again."
  })
)

export class SignInApi extends HttpApiGroup.make("signIn")
  .add(show, submit)
  .annotate(ServedOn, ["mcp"])
  .annotate(TakesQuery, anyQuery)
  .annotateMerge(
    OpenApi.annotations({ title: "Sign-in", description: "Pages on which users sign in assistants." })
  ) {}
