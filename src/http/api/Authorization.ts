/** `Authorization: Key <API_KEY>`, checked before anything else of the request is looked at. */
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { Authentication } from "#src/accounts/Authentication.ts"
import * as CommonResponses from "./CommonResponses.ts"

/** Declared as a header: few tools know another HTTP scheme than Basic and Bearer. */
const apiKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <API_KEY>`: the scheme word `Key`, a space, then the key."
  )
)

/** The declaration. `admit` is what carries it out. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "inferlog/src/http/Authorization",
  { security: { apiKey }, error: CommonResponses.unauthorized }
) {}

/** From a request to its caller. */
export const admit = Effect.map(
  Authentication,
  (authentication) => (request: HttpServerRequest) =>
    authentication.authenticate(request.headers["authorization"])
)
