/** `Authorization: Key <API_KEY>` or `Bearer <API_KEY>`, checked before anything else of the request is looked at. */
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Admission } from "../edge/Admission.ts"
import * as CommonResponses from "./CommonResponses.ts"
import type { Admit } from "./DeclaredRoutes.ts"

/** Declared as a header: few tools know another HTTP scheme than Basic and Bearer. */
const apiKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <API_KEY>`: the scheme word `Key`, a space, then the key."
  )
)

const bearer = HttpApiSecurity.http({ scheme: "bearer" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Bearer <API_KEY>`: the key, for tools that know this scheme."
  )
)

/** The declaration, with what every route of an account may answer. `admit` is what carries it out. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "inferlog/src/edges/http/api/Authorization",
  {
    security: { apiKey, bearer },
    error: [CommonResponses.unauthorized, CommonResponses.forbidden, CommonResponses.tooManyRequests]
  }
) {}

/** From a request to its caller. */
export const admit = Effect.map(Admission, ({ gate }): Admit<Caller> => (requires) => {
  const enter = gate(requires)
  return (request) => enter(request.headers["authorization"])
})
