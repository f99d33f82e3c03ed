/** `POST /workers/jobs/{leaseId}/release`: gives a job back. */
import { Effect, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema, OpenApi } from "effect/http-api"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

const body = RequestBody.strict(
  Schema.Struct({
    reason: Schema.optionalKey(WorkerRoute.Message.annotate({ description: "For the server's log." }))
  }).annotate({
    identifier: "ReleaseJob",
    description: "May be absent.",
    examples: [{ reason: "shutting down" }]
  })
)

const endpoint = HttpApiEndpoint.post("releaseJob", "/workers/jobs/:leaseId/release", {
  params: WorkerRoute.params,
  payload: body.schema,
  success: HttpApiSchema.NoContent.annotate({ description: "The job is given back, or has ended." }),
  error: WorkerRoute.errorsOfLease
}).annotateMerge(
  OpenApi.annotations({
    summary: "Give a job back",
    description:
      "The job runs again at once on any worker, and later each time that it is given back. It does not count as a try."
  })
)

export const releaseJob = Route.make(
  endpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const { reason } = yield* RequestBody.read(body, request, { optional: true })
    yield* calls.release(WorkerRoute.leaseOf(params, worker))
    if (reason !== undefined) {
      yield* Effect.logInfo(`A worker gave its job back: ${JSON.stringify(reason)}`).pipe(
        Effect.annotateLogs({ key_id: worker.keyId })
      )
    }
    return Answer.empty(204, Answer.noHeaders)
  }
)
