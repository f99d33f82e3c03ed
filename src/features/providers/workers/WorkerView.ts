/** The wire form of jobs and leases (docs/operators/workers.md). */
import { Schema } from "effect"
import { StreamKind } from "#domain/catalog/Model.ts"
import type { Lease } from "../pull/Lease.ts"
import type { Heard } from "./LeasesElsewhere.ts"
import * as DateTime from "#src/platform/views/DateTime.ts"

const leaseExpiresAt = DateTime.DateTime.annotate({
  description: "When the job counts as lost, unless the worker reports before."
})

export const JobBody = Schema.Struct({
  job: Schema.Struct({
    leaseId: Schema.String.annotate({
      description: "The worker's id of the job, valid only with its key."
    }),
    requestId: Schema.String,
    attempt: Schema.Int.annotate({ description: "Number of the run of the request, from 1." }),
    modelEndpoint: Schema.String.annotate({ description: "The model to run." }),
    modelVersion: Schema.String,
    input: Schema.Json,
    leaseSeconds: Schema.Int.annotate({
      description: "Duration of a lease after the worker's last report."
    }),
    leaseExpiresAt,
    stream: Schema.NullOr(StreamKind).annotate({
      description:
        "How chunks add up to the output, which may be reported as it is made; null: only with the result."
    }),
    timeoutSeconds: Schema.Number.annotate({ description: "The job is withdrawn after this many seconds." })
  })
}).annotate({
  identifier: "WorkerJob",
  examples: [
    {
      job: {
        leaseId: "rq0qXk2Ab-0Zp1aB3dE5f.1.a1b2c3d4e5f6.q3vZ0m1n2o3p4q5r6s7t8u",
        requestId: "rq0qXk2Ab-0Zp1aB3dE5f",
        attempt: 1,
        modelEndpoint: "acme/upscale",
        modelVersion: "v_0f1e2d3c4b5a",
        input: { image: "https://media.example.com/a.png", scale: 2 },
        leaseSeconds: 30,
        leaseExpiresAt: "2026-01-05T12:00:30.000Z",
        stream: null,
        timeoutSeconds: 600
      }
    }
  ]
})

/** @param now Unix time in ms. */
export const job = (lease: Lease, now: number): typeof JobBody.Type => {
  // For a job of a wrapper the model is its base, which the worker runs.
  const { attempt, input, model, requestId } = lease.job
  return {
    job: {
      leaseId: lease.id,
      requestId,
      attempt,
      modelEndpoint: model.endpoint,
      modelVersion: model.version,
      input,
      leaseSeconds: lease.leaseMs / 1_000,
      leaseExpiresAt: DateTime.format(now + lease.leaseMs),
      stream: lease.chunks === null ? null : (model.output?.stream ?? null),
      timeoutSeconds: model.timeoutSeconds
    }
  }
}

export const HeartbeatBody = Schema.Struct({
  leaseExpiresAt,
  cancelRequested: Schema.Boolean.annotate({
    description: "The client cancelled: stop, and report `cancelled` or a result."
  })
}).annotate({
  identifier: "WorkerHeartbeat",
  examples: [{ leaseExpiresAt: "2026-01-05T12:01:00.000Z", cancelRequested: false }]
})

export const ChunksBody = Schema.Struct({
  ...HeartbeatBody.fields,
  next: Schema.NullOr(Schema.Int).annotate({
    description:
      "Number of the chunk that the next call begins with: send again what comes after a gap. null: chunks are not kept here, and the result has the output."
  })
}).annotate({
  identifier: "WorkerChunks",
  examples: [{ leaseExpiresAt: "2026-01-05T12:01:00.000Z", cancelRequested: false, next: 14 }]
})

/** @param now Unix time in ms. */
export const received = (answer: Heard, next: number | null, now: number): typeof ChunksBody.Type => ({
  ...heard(answer, now),
  next
})

/** @param now Unix time in ms. */
export const heard = ({ cancelRequested, leaseMs }: Heard, now: number): typeof HeartbeatBody.Type => ({
  leaseExpiresAt: DateTime.format(now + leaseMs),
  cancelRequested
})

export const RecordedBody = Schema.Struct({ recorded: Schema.Literal(true) }).annotate({
  identifier: "WorkerResultRecorded",
  description: "It is on the log.",
  examples: [{ recorded: true }]
})
