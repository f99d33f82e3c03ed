/** Turns away what the router matched and is yet no route of ours, before a key is asked for. */
import { Effect, Layer } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { HttpApiMiddleware } from "effect/http-api"
import { RouteFound } from "../edge/Exchanges.ts"
import { respond } from "../edge/Respond.ts"
import { RouteTable } from "../edge/RouteTable.ts"

export class RouteGuard extends HttpApiMiddleware.Service<RouteGuard>()("inferlog/src/http/RouteGuard") {
  static readonly layer = Layer.effect(
    RouteGuard,
    Effect.gen(function* () {
      const routes = yield* RouteTable
      return RouteGuard.of((handler, route) =>
        Effect.gen(function* () {
          const { headers, method, url } = yield* HttpServerRequest.HttpServerRequest
          const params = yield* HttpRouter.params
          const target = { method, url, host: headers["host"] }
          if (!routes.isServed({ ...route, params }, target)) {
            return yield* respond(Effect.fail(routes.refusal(target)))
          }
          const found = yield* RouteFound
          found(route.endpoint.path)
          return yield* handler
        })
      )
    })
  )
}
