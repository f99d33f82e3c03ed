/** What workers call that fetch jobs (docs/workers.md). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import * as WorkerBodies from "./WorkerBodies.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as CommonResponses from "#src/edges/http/api/CommonResponses.ts"
import { ServedOn } from "#src/edges/http/api/RouteAnnotations.ts"
import { WorkerAuthorization } from "./WorkerAuthorization.ts"

const everywhere = [
  CommonResponses.badRequest,
  CommonResponses.timeout,
  CommonResponses.tooLarge,
  CommonResponses.unsupported,
  CommonResponses.notFound,
  CommonResponses.unexpected,
  CommonResponses.unavailable
] as const

const ofLease = [...everywhere, CommonResponses.conflict] as const

const params = {
  leaseId: Schema.String.annotate({ description: "As it came with the job." })
}

const claim = HttpApiEndpoint.post("claimJob", "/workers/claim", {
  payload: Schema.Struct({
    models: Schema.optionalKey(
      Schema.NullOr(
        Schema.Array(Schema.String).check(Schema.isMinLength(1), Schema.isMaxLength(100))
      ).annotate({
        description: "`owner/model` of those that the worker runs; all that its key is for when left out."
      })
    ),
    wait: Schema.optionalKey(
      Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: WorkerBodies.longestWait })).annotate({
        description: `How long to wait for a job, in seconds; ${WorkerBodies.usualWait} by default. 0 looks for half a second.`
      })
    )
  }).annotate({
    identifier: "ClaimJob",
    description: "May be left out altogether.",
    examples: [{ models: ["acme/upscale"], wait: 50 }]
  }),
  success: [
    WorkerView.JobBody,
    HttpApiSchema.NoContent.annotate({ description: "There was no job: ask again at once." })
  ],
  error: [...everywhere, CommonResponses.forbidden, CommonResponses.tooManyRequests]
}).annotateMerge(
  OpenApi.annotations({
    identifier: "claimJob",
    summary: "Fetch a job",
    description:
      "Waits until there is one. Whoever has waited longest gets the first. A worker that runs several jobs at once makes a call for each. A connection that closes before the answer gets none."
  })
)

const heartbeat = HttpApiEndpoint.post("jobHeartbeat", "/workers/jobs/:leaseId/heartbeat", {
  params,
  payload: Schema.Struct({
    progress: Schema.optionalKey(
      Schema.NullOr(Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: 1 }))).annotate({
        description: "How much is done, from 0 to 1; null when that is not known."
      })
    ),
    logs: Schema.optionalKey(
      Schema.Array(Schema.String)
        .check(Schema.isMaxLength(WorkerBodies.mostLines))
        .annotate({ description: "Lines since the last heartbeat. Clients may read them." })
    )
  }).annotate({
    identifier: "JobHeartbeat",
    description: "May be left out altogether.",
    examples: [{ progress: 0.4, logs: ["step 8 of 20"] }]
  }),
  success: WorkerView.HeartbeatBody,
  error: ofLease
}).annotateMerge(
  OpenApi.annotations({
    identifier: "jobHeartbeat",
    summary: "Say that the worker is at it",
    description:
      "To be made about three times a lease. 409 `LEASE_LOST`: the job has been given to another worker, or its request has ended: stop working on it."
  })
)

const message = Schema.String.check(Schema.isMaxLength(WorkerBodies.longestMessage))

const result = HttpApiEndpoint.post("endJob", "/workers/jobs/:leaseId/result", {
  params,
  payload: Schema.Union([
    Schema.Struct({
      output: Schema.Json.annotate({ description: "What the model gives." }),
      units: Schema.optionalKey(
        Schema.String.annotate({
          description:
            'Billable units as a decimal number, such as "1.5"; counted by the model\'s metering when left out.'
        })
      )
    }),
    Schema.Struct({ error: message.annotate({ description: "The model ran and failed. Not billed." }) }),
    Schema.Struct({
      refused: message.annotate({ description: "The worker could not run it." }),
      retryable: Schema.optionalKey(
        Schema.Boolean.annotate({ description: "Whether another try may go well; false by default." })
      )
    }),
    Schema.Struct({
      cancelled: Schema.Literal(true).annotate({ description: "The worker stopped, as it was told to." })
    })
  ]).annotate({
    identifier: "JobResult",
    description: "At most 32 MiB.",
    examples: [
      { output: { image: "https://media.example.com/b.png" } },
      { error: "CUDA out of memory" },
      { refused: "The weights are not there yet.", retryable: true },
      { cancelled: true }
    ]
  }),
  success: WorkerView.RecordedBody,
  error: ofLease
}).annotateMerge(
  OpenApi.annotations({
    identifier: "endJob",
    summary: "Say how a job ended",
    description:
      "Recorded when it is answered; made again it changes nothing. Repeat it on 503 and when there was no answer. 409 `LEASE_LOST`: it came too late, and is of no use."
  })
)

const release = HttpApiEndpoint.post("releaseJob", "/workers/jobs/:leaseId/release", {
  params,
  payload: Schema.Struct({
    reason: Schema.optionalKey(message.annotate({ description: "For the server's log." }))
  }).annotate({
    identifier: "ReleaseJob",
    description: "May be left out altogether.",
    examples: [{ reason: "shutting down" }]
  }),
  success: HttpApiSchema.NoContent.annotate({ description: "The job is given back, or has ended." }),
  error: ofLease
}).annotateMerge(
  OpenApi.annotations({
    identifier: "releaseJob",
    summary: "Give a job back",
    description:
      "It runs again at once, on whichever worker comes, and later each time that it comes back. It counts as no try."
  })
)

export class WorkersApi extends HttpApiGroup.make("workers")
  .add(claim, heartbeat, result, release)
  .middleware(WorkerAuthorization)
  .annotate(ServedOn, ["platform", "queue"])
  .annotateMerge(
    OpenApi.annotations({
      title: "Workers",
      description: "For machines that run models and fetch their jobs, with a worker key."
    })
  ) {}
