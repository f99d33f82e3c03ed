/** `GET /metrics`, for Prometheus. */
import * as crypto from "node:crypto"
import { Config, Effect, Option, Redacted, Schema } from "effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { contentType, MetricsPage } from "#src/platform/telemetry/MetricsPage.ts"
import * as Setting from "#src/kernel/settings/Setting.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"

/** Restricted to what Prometheus can send in a header. */
const Token = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,256}$/, { expected: "1 to 256 characters of ASCII without spaces" })
)

export const metricsToken = Setting.optional({
  name: "METRICS_TOKEN",
  config: (name) => Config.schema(Schema.Redacted(Token), name),
  defaultText: "none: anyone may read `/metrics`",
  description: "the token that `/metrics` requires as `Authorization: Bearer <token>`",
  accepts: "1 to 256 characters of ASCII without spaces",
  example: "m9f8a2c51d0",
  isSecret: true
})

const endpoint = HttpApiEndpoint.get("getMetrics", "/metrics", {
  success: Schema.String.pipe(HttpApiSchema.asText({ contentType: contentType })).annotate({
    description: "Prometheus' text format, version 0.0.4."
  }),
  error: [CommonResponses.unauthorized, CommonResponses.unexpected]
})
  .annotate(ServedOn, ["platform"])
  .annotate(OpenApi.Summary, "Metrics of the process")
  .annotate(
    OpenApi.Description,
    "For Prometheus. If `METRICS_TOKEN` is set, the request needs `Authorization: Bearer <token>`."
  )

const unauthorized = new ErrorAnswer.ErrorAnswer({
  status: 401,
  error: "A valid token is required: Authorization: Bearer <METRICS_TOKEN>.",
  headers: { "www-authenticate": "Bearer" }
})

const digest = (text: string): Buffer => crypto.hash("sha256", text, "buffer")

const bearer = /^bearer +(\S+) *$/i

/** In constant time, whatever the length. */
const guard = (token: Redacted.Redacted) => {
  const expected = digest(Redacted.value(token))
  return (header: string | undefined): boolean =>
    crypto.timingSafeEqual(digest(bearer.exec(header ?? "")?.[1] ?? ""), expected)
}

export const metrics = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const page = yield* MetricsPage
    const isAdmitted = Option.match(yield* metricsToken.config, { onNone: () => () => true, onSome: guard })

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>) {
      if (!isAdmitted(request.headers["authorization"])) return yield* unauthorized
      return HttpServerResponse.text(yield* page, { contentType, headers: { "cache-control": "no-store" } })
    })
  })
)
