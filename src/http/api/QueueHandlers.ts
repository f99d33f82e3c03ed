/**
 * The declared lifecycle routes over `RequestRoutes`. They are raw, for the routes read and write the bodies themselves:
 * what they answer is the same on every transport.
 */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import * as BodyReader from "../edge/BodyReader.ts"
import { respond } from "../edge/Respond.ts"
import type { RequestCall } from "../routes/RequestCall.ts"
import { RequestRoutes } from "../routes/RequestRoutes.ts"
import { CurrentCaller } from "./Authorization.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "queue",
  Effect.fnUntraced(function* (handlers) {
    const routes = yield* RequestRoutes

    const cancel = ({ params }: Pick<RequestCall, "params">) =>
      Effect.flatMap(CurrentCaller, (caller) => respond(routes.cancel({ caller, params })))

    return handlers
      .handleRaw("submit", ({ params, query, request }) =>
        Effect.flatMap(CurrentCaller, (caller) =>
          respond(
            routes.submit({
              caller,
              params,
              headers: request.headers,
              wait: query.wait,
              readBody: BodyReader.read(request)
            })
          )
        )
      )
      .handleRaw("status", ({ params, query, request }) =>
        Effect.flatMap(CurrentCaller, (caller) =>
          respond(routes.status({ caller, params, headers: request.headers, wait: query.wait }))
        )
      )
      .handleRaw("result", ({ params }) =>
        Effect.flatMap(CurrentCaller, (caller) => respond(routes.result({ caller, params })))
      )
      .handleRaw("cancel", cancel)
      .handleRaw("cancelByPut", cancel)
      .handleRaw("cancelByPost", cancel)
      .handleRaw("retrieve", ({ params }) =>
        Effect.flatMap(CurrentCaller, (caller) => respond(routes.retrieve({ caller, params })))
      )
  })
)
