/** `GET /health`: whether requests that are submitted here are accepted and run. */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { Health, type Unwell } from "#src/platform/health/Health.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

const endpoint = HttpApiEndpoint.get("getHealth", "/health", {
  query: {
    live: Schema.optionalKey(
      Schema.Literal("1").annotate({ description: "Checks only that the process answers: always 200." })
    )
  },
  success: Schema.Struct({ status: Schema.Literal("ok") }).annotate({
    identifier: "Health",
    examples: [{ status: "ok" }]
  }),
  error: [CommonResponses.unexpected, CommonResponses.unavailable]
})
  .annotate(OpenApi.Summary, "Whether the process accepts and runs requests")
  .annotate(
    OpenApi.Description,
    "For load balancers; with `live=1` for supervisors that restart a process that does not answer. A 503 has `details.code` `UNHEALTHY` and `details.reasons`, each with a `code`, a `message` and `since` when it holds."
  )

const ok = Answer.json(200, { status: "ok" })

const unwell = (reasons: ReadonlyArray<Unwell>) =>
  new ErrorAnswer.ErrorAnswer({
    status: 503,
    error: "The server does not accept requests, or does not run them.",
    details: {
      code: "UNHEALTHY",
      reasons: reasons.map(({ code, message, since }) => ({ code, message, since: DateTime.format(since) }))
    },
    headers: { "retry-after": "5" }
  })

export const health = Route.make(endpoint, Health, function* ({ reasons }, { query }) {
  if (query.live !== undefined) return ok
  const found = yield* reasons
  return found.length === 0 ? ok : yield* unwell(found)
})
