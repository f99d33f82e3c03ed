/** `Authorization: Key <API_KEY>` or `Bearer <API_KEY>`, or a token instead, checked before the rest of the request. */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import type { Caller } from "#src/features/accounts/Caller.ts"
import { Admission } from "../edge/Admission.ts"
import * as CommonResponses from "./CommonResponses.ts"
import type { Admit } from "./DeclaredRoutes.ts"

/** Declared as a header, because few tools know HTTP schemes other than Basic and Bearer. */
const apiKey = HttpApiSecurity.apiKey({ key: "Authorization", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Key <API_KEY>`: the scheme word `Key`, a space, then the key. Routes that say so also take a token (`POST /keys/tokens`)."
  )
)

const bearer = HttpApiSecurity.http({ scheme: "bearer" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "`Bearer <API_KEY>`: the key, for tools that know this scheme."
  )
)

/** Declares the scheme and the answers that every route of an account may give. `admit` performs the check. */
export class Authorization extends HttpApiMiddleware.Service<Authorization>()(
  "inferlog/src/edges/http/api/Authorization",
  {
    security: { apiKey, bearer },
    error: [CommonResponses.unauthorized, CommonResponses.forbidden, CommonResponses.tooManyRequests]
  }
) {}

/** Finds the caller of a request. */
export const admit = Effect.map(Admission, ({ gate }): Admit<Caller> => (requires, tokens) => {
  const enter = gate(requires, tokens)
  return (request) =>
    enter({
      headers: request.headers,
      // The server speaks only HTTP/1.
      response: () => NodeHttpServerRequest.toServerResponse(request) as ServerResponse
    })
})
