/** The routes of workers that fetch jobs (docs/operators/workers.md). */
import { Effect, Schema, Clock } from "effect"
import { HttpApiGroup, OpenApi, HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import * as DeclaredRoutes from "#src/edges/http/api/DeclaredRoutes.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import { claimJob } from "./ClaimJob.ts"
import { endJob } from "./EndJob.ts"
import { reportChunks } from "./ReportChunks.ts"
import * as WorkerAuthorization from "./WorkerAuthorization.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

/** Log lines of one heartbeat, and characters of a line. */
const mostLines = 500
const longestLine = 10_000

const jobHeartbeatBody = RequestBody.strict(
  Schema.Struct({
    progress: Schema.optionalKey(
      Schema.NullOr(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
        description: "Completed share, from 0 to 1; null when unknown."
      })
    ),
    logs: Schema.optionalKey(
      Schema.Array(Schema.String.check(Schema.isMaxLength(longestLine)))
        .check(Schema.isMaxLength(mostLines))
        .annotate({ description: "Lines since the last heartbeat. Clients may read them." })
    )
  }).annotate({
    identifier: "JobHeartbeat",
    description: "May be absent.",
    examples: [{ progress: 0.4, logs: ["step 8 of 20"] }]
  })
)

const jobHeartbeatEndpoint = HttpApiEndpoint.post("jobHeartbeat", "/workers/jobs/:leaseId/heartbeat", {
  params: WorkerRoute.params,
  payload: jobHeartbeatBody.schema,
  success: WorkerView.HeartbeatBody,
  error: WorkerRoute.errorsOfLease
})
  .annotate(OpenApi.Summary, "Keep a job")
  .annotate(
    OpenApi.Description,
    "Renews the lease. Call it about three times per lease. 409 `LEASE_LOST`: another worker has the job, or its request has ended. Stop working on it."
  )

const jobHeartbeat = Route.make(
  jobHeartbeatEndpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const { logs = [], progress = null } = yield* RequestBody.read(jobHeartbeatBody, request, {
      optional: true
    })
    const heard = yield* calls.heartbeat(WorkerRoute.leaseOf(params, worker), { fraction: progress, logs })
    return Answer.json(200, WorkerView.heard(heard, yield* Clock.currentTimeMillis))
  }
)

/** `POST /workers/jobs/{leaseId}/release`: gives a job back. */
const releaseJobBody = RequestBody.strict(
  Schema.Struct({
    reason: Schema.optionalKey(WorkerRoute.Message.annotate({ description: "For the server's log." }))
  }).annotate({
    identifier: "ReleaseJob",
    description: "May be absent.",
    examples: [{ reason: "shutting down" }]
  })
)

const releaseJobEndpoint = HttpApiEndpoint.post("releaseJob", "/workers/jobs/:leaseId/release", {
  params: WorkerRoute.params,
  payload: releaseJobBody.schema,
  success: HttpApiSchema.NoContent.annotate({ description: "The job is released, or has ended." }),
  error: WorkerRoute.errorsOfLease
})
  .annotate(OpenApi.Summary, "Give a job back")
  .annotate(
    OpenApi.Description,
    "The job runs again at once on any worker, and after a growing delay if it is released repeatedly. It does not count as a try."
  )

const releaseJob = Route.make(
  releaseJobEndpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const { reason } = yield* RequestBody.read(releaseJobBody, request, { optional: true })
    yield* calls.release(WorkerRoute.leaseOf(params, worker))
    if (reason !== undefined) {
      yield* Effect.logInfo(`A worker released its job: ${JSON.stringify(reason)}`).pipe(
        Effect.annotateLogs({ key_id: worker.keyId })
      )
    }
    return Answer.empty(204, Answer.noHeaders)
  }
)

const routes = [claimJob, jobHeartbeat, reportChunks, endJob, releaseJob] as const

export class WorkersApi extends HttpApiGroup.make("workers")
  .add(...Route.endpointsOf(routes))
  .middleware(WorkerAuthorization.WorkerAuthorization)
  .annotate(ServedOn, ["platform", "queue"])
  .annotate(OpenApi.Title, "Workers")
  .annotate(OpenApi.Description, "For machines that run models and fetch their jobs, with a worker key.") {}

export const layer = DeclaredRoutes.layer(WorkerAuthorization.admit, routes)
