/** `POST /workers/jobs/{leaseId}/result`: records how a run ended. It is on the log when the route answers. */
import { Effect, Option, Result, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { JsonObject } from "#domain/CanonicalJson.ts"
import * as Money from "#domain/Money.ts"
import type { ProviderOutcome } from "#domain/Outcome.ts"
import * as ReportedOutput from "#src/features/providers/ReportedOutput.ts"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { type OfLease, WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as BodyReader from "#src/edges/http/edge/BodyReader.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { invalid, issue, type Parsed } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as ReportBody from "./ReportBody.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

const maxBytes = 32 * 1024 * 1024

const fields = {
  output: Schema.Json.annotate({ description: "What the model gives." }),
  units: Schema.optionalKey(
    Schema.String.check(Schema.isPattern(/^[0-9]{1,12}(\.[0-9]{1,6})?$/u)).annotate({
      description:
        'Billable units as a decimal number, such as "1.5"; counted by the model\'s metering when absent.'
    })
  ),
  error: WorkerRoute.Message.annotate({ description: "The model ran and failed. Not billed." }),
  refused: WorkerRoute.Message.annotate({ description: "The worker could not run it." }),
  retryable: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "Whether another try may succeed; false by default." })
  ),
  cancelled: Schema.Literal(true).annotate({ description: "The worker stopped as requested." })
}

const payload = Schema.Union([
  Schema.Struct({ output: fields.output, units: fields.units }),
  Schema.Struct({ error: fields.error }),
  Schema.Struct({ refused: fields.refused, retryable: fields.retryable }),
  Schema.Struct({ cancelled: fields.cancelled })
]).annotate({
  identifier: "JobResult",
  description: "At most 32 MiB, decompressed.",
  examples: [
    { output: { image: "https://media.example.com/b.png" } },
    { error: "CUDA out of memory" },
    { refused: "The weights are not there yet.", retryable: true },
    { cancelled: true }
  ]
})

/** The fields of all ends. The output is not checked here: it is the model's, and may be large. */
const body = RequestBody.strict(
  Schema.Struct({
    units: fields.units,
    error: Schema.optionalKey(fields.error),
    refused: Schema.optionalKey(fields.refused),
    retryable: fields.retryable,
    cancelled: Schema.optionalKey(fields.cancelled)
  })
)

const endpoint = HttpApiEndpoint.post("endJob", "/workers/jobs/:leaseId/result", {
  params: WorkerRoute.params,
  payload,
  success: WorkerView.RecordedBody,
  error: WorkerRoute.errorsOfLease
})
  .annotate(OpenApi.Summary, "Report how a job ended")
  .annotate(
    OpenApi.Description,
    "Recorded before the answer; repeating it changes nothing. Repeat it after a 503 or without an answer. 409 `LEASE_LOST`: the report came too late. 400 for a body that is no JSON, such as one with `NaN`, or that cannot be decompressed: the request has ended then. The body may be compressed: `gzip`, `deflate`, `br` or `zstd`."
  )

/** Each way in which a job ends has a field of its own. */
const ends = ["output", "error", "refused", "cancelled"] as const

const parse = (given: JsonObject): Parsed<ProviderOutcome> => {
  const found = ends.filter((end) => given[end] !== undefined)
  const [end] = found
  if (end === undefined || found.length > 1) {
    return invalid(issue([], "oneOf", `must have exactly one of ${ends.join(", ")}`))
  }
  const owner = { units: "output", retryable: "refused" } as const
  for (const field of ["units", "retryable"] as const) {
    if (given[field] !== undefined && end !== owner[field]) {
      return invalid(issue([field], "dependentRequired", `must come with ${owner[field]}`))
    }
  }
  const { output: _output, ...rest } = given
  return Result.map(body.check(rest), (checked): ProviderOutcome => {
    switch (end) {
      case "output":
        return {
          _tag: "Succeeded",
          ...ReportedOutput.of(given),
          delivered: unitsOf(checked.units)
        }
      case "error":
        return { _tag: "ModelFailed", message: checked.error ?? "" }
      case "refused":
        return {
          _tag: "ProviderError",
          message: checked.refused ?? "",
          retryable: checked.retryable === true
        }
      case "cancelled":
        return { _tag: "Stopped" }
    }
  })
}

/** `null`: the worker does not count units. */
const unitsOf = (text: string | undefined): Money.Quantity | null =>
  text === undefined ? null : Option.getOrNull(Money.parseQuantity(text))

/** A result may be large and come over a slow line: the heartbeats show meanwhile that the worker lives. */
const read = (calls: WorkerCalls["Service"], request: HttpServerRequest, lease: OfLease) =>
  Effect.provideService(
    ReportBody.read(calls, { request, lease, what: "result", limit: maxBytes }),
    BodyReader.BodyTimeout,
    "5 minutes"
  )

const recorded: typeof WorkerView.RecordedBody.Type = { recorded: true }

export const endJob = Route.make(
  endpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const lease = WorkerRoute.leaseOf(params, worker)
    const outcome = yield* ErrorAnswer.orInvalid(parse(yield* read(calls, request, lease)))
    yield* calls.end(lease, outcome)
    return Answer.json(200, recorded)
  }
)
