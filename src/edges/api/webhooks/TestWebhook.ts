/** `POST /webhooks/test`: sends a sample to a URL and shows what came back (docs/apps/webhooks.md). */
import { Clock, Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import * as CanonicalJson from "#domain/CanonicalJson.ts"
import { WebhookEventName } from "#domain/inference-request/Event.ts"
import type { Rate } from "#domain/account/Limits.ts"
import type { AccountId } from "#domain/Ids.ts"
import { WebhookTester } from "#src/features/webhooks/WebhookTester.ts"
import * as AttemptView from "#src/features/webhooks/views/AttemptView.ts"
import * as TokenBuckets from "#src/kernel/limits/TokenBuckets.ts"
import { Outbound } from "#src/kernel/outbound/Outbound.ts"
import * as MonotonicTime from "#src/kernel/time/MonotonicTime.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { Requires } from "#src/edges/http/api/RouteAnnotations.ts"
import type * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as LimitErrorAnswers from "#src/edges/http/LimitErrorAnswers.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as WebhookTarget from "../requests/WebhookTarget.ts"
import { samples } from "./WebhookEvents.ts"

const body = RequestBody.strict(
  Schema.Struct({
    url: Schema.String.annotate({ description: "Where the sample is sent.", format: "uri" }),
    event: Schema.optionalKey(
      WebhookEventName.annotate({ description: "Which event is sent; `completed` by default." })
    )
  }).annotate({
    identifier: "TestWebhook",
    description: "A receiver.",
    examples: [{ url: "https://example.com/hook" }]
  })
)

/** Tests of an account on one node. Each takes a connection for up to 15 s. */
const rate: Rate = { requests: 20, windowSeconds: 60 }

const mostAccounts = 10_000

const endpoint = HttpApiEndpoint.post("testWebhook", "/webhooks/test", {
  payload: body.schema,
  success: AttemptView.TestBody,
  error: [...CommonResponses.usual, ...CommonResponses.ofBodies]
})
  .annotate(Requires, "webhooks:write")
  .annotate(OpenApi.Summary, "Send a sample to a receiver")
  .annotate(
    OpenApi.Description,
    `Sends the example of an event to a URL, signed with the account's secret, as a delivery would be sent: once, within 15 seconds. Whatever the receiver answers, the answer is 200 and shows it. Nothing of it is stored. At most ${rate.requests} a minute.`
  )

/** The names of events mean nothing to the model: no request has such an id. */
const sampleOf = (event: WebhookEventName): string => CanonicalJson.stringify(samples[event])

export const testWebhook = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const tester = yield* WebhookTester
    const outbound = yield* Outbound
    const clock = yield* Clock.Clock
    const buckets = TokenBuckets.make(mostAccounts)

    const admit = (accountId: AccountId): Effect.Effect<void, ErrorAnswer.ErrorAnswer> =>
      Effect.suspend(() => {
        const retryAfterSeconds = TokenBuckets.takeOfAll([
          buckets(accountId, rate, MonotonicTime.millisOf(clock))
        ])
        return retryAfterSeconds === 0
          ? Effect.void
          : Effect.fail(LimitErrorAnswers.tooManyTests(rate, retryAfterSeconds))
      })

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>, { accountId }) {
      const { event = "completed", url } = yield* RequestBody.read(body, request)
      yield* WebhookTarget.look(outbound, url, "url")
      yield* admit(accountId)
      const tested = yield* tester.send({ accountId, url, body: sampleOf(event) })
      return Answer.json(200, AttemptView.tested(url, tested))
    })
  })
)
