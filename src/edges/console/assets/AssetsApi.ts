/** `GET /console` and everything below it that is a file or a view: the console's page and its parts. */
import { Effect, Option, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import { conditional } from "#src/edges/http/api/PublicResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { anyQuery, ServedOn, TakesQuery } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as Representation from "#src/edges/http/Representation.ts"
import { PublicUrls } from "#src/kernel/settings/PublicUrls.ts"
import * as ConsoleFiles from "./ConsoleFiles.ts"
import * as ContentSecurityPolicy from "./ContentSecurityPolicy.ts"

const bytes = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/html; charset=utf-8" })).annotate({
  description: "The page, or one of its files."
})

/** The router takes it for `/console` too. */
const viewEndpoint = HttpApiEndpoint.get("getConsoleView", "/console/*", {
  headers: conditional,
  success: [bytes, CommonResponses.notModified],
  error: [CommonResponses.unexpected, CommonResponses.notFound]
})

/** Names of files have their digest. */
const unchanging = "public, max-age=31536000, immutable"
const revalidated = "no-cache"

const notBuilt = ErrorAnswer.coded(
  404,
  "CONSOLE_NOT_BUILT",
  "The console is not built here. Run npm ci, or node bin/prepare.js, in the checkout."
)

/** The path of the console as browsers see it. */
const publicPath = (baseUrl: string): string => `${new URL(baseUrl).pathname.replace(/\/$/, "")}/console`

/**
 * Whether a path below the console may be one of a view. Other spellings of the calls below `session` and `api` are not: a
 * program that misspells one must get 404.
 */
const isView = (name: string): boolean =>
  name === "" || (!/^(?:session|api)(?![\w-])/.test(name) && !/^\/|\/\/|(?:^|\/)\.{1,2}(?:\/|$)/.test(name))

const serving = Effect.gen(function* () {
  const { baseUrl } = yield* PublicUrls
  const path = publicPath(baseUrl)
  const policy = yield* ContentSecurityPolicy.make(path)
  const files = ConsoleFiles.make(path)
  const pageHeaders = {
    "cache-control": revalidated,
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY"
  }

  const page = (request: HttpServerRequest) =>
    Effect.flatMap(
      files.page,
      Option.match({
        onNone: () => Effect.fail(notBuilt),
        onSome: (found) => Effect.succeed(Representation.respond(found, request, pageHeaders))
      })
    )

  const file = (name: string, request: HttpServerRequest) =>
    Effect.flatMap(
      files.file(name),
      Option.match({
        onNone: () => Effect.fail(ErrorAnswer.unknownRoute),
        onSome: (found) =>
          Effect.succeed(
            Representation.respond(found, request, {
              "cache-control": name.startsWith("assets/") ? unchanging : revalidated,
              "x-content-type-options": "nosniff"
            })
          )
      })
    )

  return { page, file }
})

const view = Route.prepared(
  viewEndpoint,
  Effect.map(serving, ({ file, page }) => ({ params, request }: Route.Call<typeof viewEndpoint>) => {
    const { "*": name = "" } = params as Readonly<Record<string, string | undefined>>
    if (name.startsWith("assets/") || name === "icon.svg") return file(name, request)
    return isView(name) ? page(request) : Effect.fail(ErrorAnswer.unknownRoute)
  })
)

const routes = [view] as const

export class AssetsApi extends HttpApiGroup.make("console")
  .add(...Route.endpointsOf(routes))
  .annotateEndpoints(TakesQuery, anyQuery)
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Exclude, true) {}

export const layer = DeclaredRoutes.layer(DeclaredRoutes.everybody, routes)
