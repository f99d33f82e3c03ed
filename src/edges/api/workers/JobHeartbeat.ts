/** `POST /workers/jobs/{leaseId}/heartbeat`: renews the lease and reports progress. */
import { Clock, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

/** Log lines of one heartbeat, and characters of a line. */
const mostLines = 500
const longestLine = 10_000

const body = RequestBody.strict(
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

const endpoint = HttpApiEndpoint.post("jobHeartbeat", "/workers/jobs/:leaseId/heartbeat", {
  params: WorkerRoute.params,
  payload: body.schema,
  success: WorkerView.HeartbeatBody,
  error: WorkerRoute.errorsOfLease
}).annotateMerge(
  OpenApi.annotations({
    summary: "Keep a job",
    description:
      "Renews the lease. Call it about three times per lease. 409 `LEASE_LOST`: another worker has the job, or its request has ended. Stop working on it."
  })
)

export const jobHeartbeat = Route.make(
  endpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const { logs = [], progress = null } = yield* RequestBody.read(body, request, { optional: true })
    const heard = yield* calls.heartbeat(WorkerRoute.leaseOf(params, worker), { fraction: progress, logs })
    return Answer.json(200, WorkerView.heard(heard, yield* Clock.currentTimeMillis))
  }
)
