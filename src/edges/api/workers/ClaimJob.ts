/** `POST /workers/claim`: fetches a job (docs/operators/workers.md), or answers 204 after the wait. */
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Lease } from "#src/features/providers/pull/Lease.ts"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import { IsStopping, Stopping } from "#src/edges/http/Stopping.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

/** Seconds. */
const usualWait = 30
const longestWait = 60

/** The shortest wait (ms): a worker that does not wait at all could not be found. */
const shortestWaitMs = 500

const body = RequestBody.strict(
  Schema.Struct({
    models: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(100), Schema.isUnique())
      ).annotate({
        description:
          "The models that the worker runs, as `owner/model`; null or absent: every model that its key may run."
      })
    ),
    wait: Schema.optionalKey(
      Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: longestWait })).annotate({
        description: `How long to wait for a job, in seconds; ${usualWait} by default. 0 looks for half a second.`
      })
    )
  }).annotate({
    identifier: "ClaimJob",
    description: "May be absent.",
    examples: [{ models: ["acme/upscale"], wait: 50 }]
  })
)

const endpoint = HttpApiEndpoint.post("claimJob", "/workers/claim", {
  payload: body.schema,
  success: [
    WorkerView.JobBody,
    HttpApiSchema.NoContent.annotate({ description: "No job: call again at once." })
  ],
  error: [...WorkerRoute.errors, CommonResponses.forbidden, CommonResponses.tooManyRequests]
})
  .annotate(OpenApi.Summary, "Fetch a job")
  .annotate(
    OpenApi.Description,
    "Waits for a job. The worker that has waited longest gets the first one. A worker that runs several jobs at once makes one call for each. A connection that closes before the answer gets no job. The headers `X-Worker-Id` and `X-Worker-Version` may name the worker for operators."
  )

export const claimJob = Route.prepared(
  endpoint,
  Effect.gen(function* () {
    const calls = yield* WorkerCalls
    const stopping = yield* Stopping
    const isStopping = yield* IsStopping

    /** Gives the job back when the worker's connection does not take the answer. */
    const unlessSent = (request: HttpServerRequest, lease: Lease): boolean => {
      const response = NodeHttpServerRequest.toServerResponse(request)
      if (response.destroyed) return false
      response.once("close", () => {
        if (!response.writableFinished) calls.giveBack(lease)
      })
      return true
    }

    return Effect.fnUntraced(function* ({ request }: Route.Call<typeof endpoint>, worker: Worker) {
      const { models = null, wait = usualWait } = yield* RequestBody.read(body, request, { optional: true })
      if (isStopping()) return yield* ErrorAnswer.stopping
      const lease = yield* Effect.raceFirst(
        calls.claim({ worker, models, waitMs: Math.max(wait * 1_000, shortestWaitMs) }),
        Effect.andThen(stopping, ErrorAnswer.stopping)
      )
      if (lease === null) return Answer.empty(204, Answer.noHeaders)
      if (!unlessSent(request, lease)) calls.giveBack(lease)
      return Answer.values(200, WorkerView.job(lease, yield* Clock.currentTimeMillis))
    })
  })
)
