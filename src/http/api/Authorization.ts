/** `Authorization: Key <API_KEY>`, checked before anything else of the request is looked at. */
import { Context, Effect, Layer } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { Authentication } from "#src/accounts/Authentication.ts"
import type { Caller } from "#src/accounts/Caller.ts"
import { respond } from "../edge/Respond.ts"
import * as CommonResponses from "./CommonResponses.ts"

export class CurrentCaller extends Context.Service<CurrentCaller, Caller>()(
  "inferlog/src/http/CurrentCaller"
) {}

/** Declared as a header: few tools know another HTTP scheme than Basic and Bearer. */
const apiKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <API_KEY>`: the scheme word `Key`, a space, then the key."
  )
)

export class Authorization extends HttpApiMiddleware.Service<Authorization, { provides: CurrentCaller }>()(
  "inferlog/src/http/Authorization",
  { security: { apiKey }, error: CommonResponses.unauthorized }
) {
  static readonly layer = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const authentication = yield* Authentication
      return Authorization.of({
        apiKey: (handler) =>
          Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
            authentication.authenticate(request.headers["authorization"])
          ).pipe(
            Effect.matchEffect({
              onFailure: (error) => respond(Effect.fail(error)),
              onSuccess: (caller) => Effect.provideService(handler, CurrentCaller, caller)
            })
          )
      })
    })
  )
}
