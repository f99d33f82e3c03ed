/** Routes without authentication, for pages of any origin (security, "Keys and secrets"). A sent key is ignored. */
import { Context, Effect } from "effect"
import * as HttpRouter from "effect/http/HttpRouter"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpApiEndpoint } from "effect/http-api"
import * as Answer from "../Answer.ts"
import { anyOrigin, readable } from "../edge/AnyOrigin.ts"
import { UnderWay } from "../edge/Exchanges.ts"
import { RouteTable } from "../edge/RouteTable.ts"
import type { Admit } from "./DeclaredRoutes.ts"

export const admit: Effect.Effect<Admit<void>> = Effect.succeed(
  () => () => Effect.succeed({ caller: undefined, headers: readable })
)

/** Allows `Authorization` and `MCP-Protocol-Version`, because some clients send them with every call. */
const preflightOf = (method: string): Answer.Answer =>
  Answer.empty(204, {
    ...anyOrigin,
    "access-control-allow-methods": method === "GET" ? "GET, HEAD" : method,
    "access-control-allow-headers": "authorization, content-type, if-none-match, mcp-protocol-version",
    "access-control-max-age": "86400"
  })

/** Preflight requests of browsers. One route for each path, because each path has one method. */
export const preflights = (group: {
  readonly endpoints: Readonly<Record<string, Pick<HttpApiEndpoint.Top, "identifier" | "method" | "path">>>
}) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const table = yield* RouteTable
      yield* router.addAll(
        Object.values(group.endpoints).map(({ identifier, method, path }) => {
          const allowed = preflightOf(method)
          const serve = Effect.contextWith((context: Context.Context<HttpRouter.Provided>) => {
            const { headers, url } = Context.get(context, HttpServerRequest)
            const { params } = Context.get(context, HttpRouter.RouteContext)
            const { correlationId, found } = Context.get(context, UnderWay)
            const target = { url, host: headers["host"] }
            if (!table.isServed(identifier, params, { ...target, method })) {
              const errorAnswer = table.errorAnswer({ ...target, method: "OPTIONS" })
              return Effect.succeed(Answer.toResponse(errorAnswer.toAnswer(correlationId), correlationId))
            }
            found(path)
            return Effect.succeed(Answer.toResponse(allowed, correlationId))
          })
          return HttpRouter.route("OPTIONS", path as HttpRouter.PathInput, serve)
        })
      )
    })
  )
