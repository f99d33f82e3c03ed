/** `POST /workers/jobs/{leaseId}/chunks`: reports the output of a job as it is made (docs/operators/workers.md). */
import { Clock, Schema } from "effect"
import { isList } from "#domain/CanonicalJson.ts"
import * as JsonText from "#domain/JsonText.ts"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Worker } from "#src/features/providers/workers/WorkerAuthentication.ts"
import { WorkerCalls } from "#src/features/providers/workers/WorkerCalls.ts"
import * as WorkerView from "#src/features/providers/workers/WorkerView.ts"
import * as Answer from "#src/edges/http/Answer.ts"
import * as Route from "#src/edges/http/api/Route.ts"
import * as ErrorAnswer from "#src/edges/http/ErrorAnswer.ts"
import { invalid, issue } from "#src/edges/http/requests/Parsed.ts"
import * as RequestBody from "#src/edges/http/requests/RequestBody.ts"
import * as ReportBody from "./ReportBody.ts"
import * as WorkerRoute from "./WorkerRoute.ts"

/** Of one call. */
const mostChunks = 1_000
const maxBytes = 4 * 1024 * 1024

const body = RequestBody.strict(
  Schema.Struct({
    from: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })).annotate({
      description: "Number of the first of these chunks, from 0. Chunks that the server has are ignored."
    }),
    chunks: Schema.Array(Schema.Json).check(Schema.isMaxLength(mostChunks)).annotate({
      description:
        "Parts of the output, by the model's `stream`: strings (`text`), items (`items`), or the output so far (`last`)."
    }),
    restart: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "The output begins again: earlier chunks do not count. `from` is then 0."
      })
    )
  }).annotate({
    identifier: "JobChunks",
    description: "At most 4 MiB.",
    examples: [{ from: 12, chunks: ["Once", " upon"] }]
  })
)

const endpoint = HttpApiEndpoint.post("reportChunks", "/workers/jobs/:leaseId/chunks", {
  params: WorkerRoute.params,
  payload: body.schema,
  success: WorkerView.ChunksBody,
  error: WorkerRoute.errorsOfLease
})
  .annotate(OpenApi.Summary, "Report output as it is made")
  .annotate(
    OpenApi.Description,
    "For models with `stream`. Renews the lease like a heartbeat. Send the chunks that have gathered, a few times a second; repeat a call without an answer. The next call begins at `next`. 409 `LEASE_LOST`: stop working on the job."
  )

export const reportChunks = Route.make(
  endpoint,
  WorkerCalls,
  function* (calls, { params, request }, worker: Worker) {
    const lease = WorkerRoute.leaseOf(params, worker)
    const given = yield* ReportBody.read(calls, { request, lease, what: "chunk", limit: maxBytes })
    const { from, restart = false } = yield* ErrorAnswer.orInvalid(body.check(given))
    const sent = JsonText.member(given, "chunks")
    const chunks = isList(sent) ? JsonText.entries(sent) : []
    if (restart && from > 0)
      return yield* ErrorAnswer.orInvalid(invalid(issue(["from"], "const", "must be 0 with restart")))
    const { heard, taken } = yield* calls.chunks(lease, { from, chunks, restart })
    if (taken._tag === "NotOfKind") {
      const wrong = issue(["chunks", taken.index], "type", "must be string: the model's output is text")
      return yield* ErrorAnswer.orInvalid(invalid(wrong))
    }
    return Answer.json(200, WorkerView.received(heard, taken.next, yield* Clock.currentTimeMillis))
  }
)
