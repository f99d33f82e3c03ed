/** `POST /webhooks/deliveries/recover`: sends the failed deliveries of a period again (decisions, "More routes"). */
import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import { Webhooks } from "#src/features/webhooks/Webhooks.ts"
import { SteadyTime } from "#src/kernel/time/SteadyTime.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { malformed, millisOf } from "#src/edges/http/requests/DateTimeText.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"

const dateTime = (description: string) => DateTime.DateTime.annotate({ description })

/** A misspelled `until` would send far more again than was meant. */
export const body = RequestBody.strict(
  Schema.Struct({
    since: dateTime("Deliveries created at or after this time."),
    until: Schema.optionalKey(dateTime("Deliveries created before this time; now by default.")),
    preview: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Only counts the deliveries, and sends none." })
    )
  }).annotate({
    identifier: "RecoverBody",
    description: "A time, as date-times with an offset.",
    examples: [{ since: "2026-01-05T12:00:00Z", until: "2026-01-05T14:00:00+01:00" }]
  })
)

const recovery = (identifier: string, description: string, ofCount: string) =>
  Schema.Struct({ count: Schema.Int.annotate({ description: ofCount }) }).annotate({
    identifier,
    description,
    examples: [{ count: 3 }]
  })

const endpoint = HttpApiEndpoint.post("recoverDeliveries", "/webhooks/deliveries/recover", {
  payload: body.schema,
  success: [
    recovery(
      "Recovery",
      "Accepted; the work continues after the answer.",
      "Deliveries that are sent again."
    ).pipe(HttpApiSchema.status(202)),
    recovery("RecoveryPreview", "With `preview`: nothing is sent.", "Deliveries that would be sent again.")
  ],
  error: [...CommonResponses.usual, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "webhooks:write")
  .annotate(OpenApi.Summary, "Send all failed deliveries again")
  .annotate(OpenApi.Description, "Replays every delivery that was created in this period and has `failed`.")

/** Unix time in ms: `since` is included, `until` is not. */
interface Period {
  readonly since: number
  readonly until: number
}

/** @param now the default of `until`. */
export const parse = (given: (typeof body.schema)["Type"], now: number): Parsed<Period> => {
  const since = millisOf(given.since)
  const until = given.until === undefined ? now : millisOf(given.until)
  const issues = [
    ...(Number.isNaN(since) ? [malformed("since")] : []),
    ...(Number.isNaN(until) ? [malformed("until")] : [])
  ]
  if (issues.length > 0) return invalid(...issues)
  return since < until
    ? Result.succeed({ since, until })
    : invalid(issue(["since"], "range", "must be before until, which is now when it is not given"))
}

export const recoverDeliveries = Route.make(
  endpoint,
  Effect.all({ webhooks: Webhooks, steady: SteadyTime }),
  function* ({ webhooks, steady }, { request }, caller) {
    const given = yield* RequestBody.read(body, request)
    const period = yield* ErrorAnswer.orInvalid(parse(given, yield* steady.now))
    const isPreview = given.preview === true
    const count = yield* webhooks.recover({ caller, isPreview, ...period })
    return Answer.json(isPreview ? 200 : 202, { count })
  }
)
