/** The status of a request in fal's form (https://fal.ai/docs/documentation/model-apis/inference/queue). */
import { Schema } from "effect"
import { status } from "#domain/inference-request/Status.ts"
import * as WallTime from "#domain/inference-request/WallTime.ts"
import type { Snapshot } from "#src/features/requests/Requests.ts"
import * as FailureView from "#src/features/requests/views/FailureView.ts"
import * as RequestUrls from "#src/features/requests/views/RequestUrls.ts"
import * as FalEnds from "./FalEnds.ts"

const Log = Schema.Struct({
  message: Schema.String,
  level: Schema.Literal("INFO"),
  source: Schema.Literal("USER"),
  timestamp: Schema.String.annotate({
    description: "When the request started: single lines have no time.",
    format: "date-time"
  })
})

export const StatusBody = Schema.Struct({
  status: Schema.Literals(["IN_QUEUE", "IN_PROGRESS", "COMPLETED"]).annotate({
    description: "`COMPLETED` for every request that has ended: one without an output has an `error`."
  }),
  request_id: Schema.String,
  ...RequestUrls.requestUrlFields,
  queue_position: Schema.optionalKey(Schema.Literal(0)),
  logs: Schema.Array(Log).annotate({ description: "Empty unless asked for." }),
  metrics: Schema.Struct({ inference_time: Schema.optionalKey(Schema.Finite) }),
  outcome: Schema.optionalKey(
    Schema.Literal("partial").annotate({
      description: "Set when the output is a part: less was delivered, or a cancel stopped the run."
    })
  ),
  error: Schema.optionalKey(Schema.String),
  error_type: Schema.optionalKey(Schema.String),
  details: Schema.optionalKey(FailureView.FailureDetails)
}).annotate({ identifier: "FalStatus", description: "The state of a request." })
export type StatusBody = typeof StatusBody.Type

const word = (snapshot: Snapshot): StatusBody["status"] => {
  const own = status(snapshot.request)
  return own === "IN_QUEUE" || own === "IN_PROGRESS" ? own : "COMPLETED"
}

const timeOf = ({ request: { startedAt, submitted } }: Snapshot): string =>
  new Date(WallTime.dateBy(startedAt ?? submitted.at, submitted)).toISOString()

const metricsOf = ({ phase }: Snapshot["request"]): StatusBody["metrics"] =>
  phase._tag === "Completed" && phase.inferenceMs !== null
    ? { inference_time: phase.inferenceMs / 1_000 }
    : {}

/** @param lines of the log to show. */
export const of = (queueUrl: string, snapshot: Snapshot, lines: ReadonlyArray<string>): StatusBody => {
  const shown = word(snapshot)
  const failure = FalEnds.failureOf(snapshot)
  const timestamp = lines.length === 0 ? "" : timeOf(snapshot)
  return {
    status: shown,
    request_id: snapshot.id,
    ...RequestUrls.make(queueUrl, snapshot),
    ...(shown === "IN_QUEUE" && { queue_position: 0 }),
    logs: lines.map((message) => ({ message, level: "INFO", source: "USER", timestamp })),
    metrics: metricsOf(snapshot.request),
    ...FalEnds.partOf(snapshot),
    ...(failure !== null && {
      error: failure.message,
      error_type: failure.type,
      ...FailureView.ofRequest(snapshot.request)
    })
  }
}

/** As fal answers: 202 until the request has ended. */
export const codeOf = ({ status }: StatusBody): number => (status === "COMPLETED" ? 200 : 202)

/** The lines of `now` that come after those of `before`, of which the oldest may have been dropped. */
export const newLines = (
  before: ReadonlyArray<string>,
  now: ReadonlyArray<string>
): ReadonlyArray<string> => {
  for (let dropped = 0; dropped < before.length; dropped++) {
    const kept = before.length - dropped
    if (
      kept <= now.length &&
      before.every((line, index) => index < dropped || now[index - dropped] === line)
    ) {
      return now.slice(kept)
    }
  }
  return now
}
